"""A page of docs/ that is followed to the letter: its files are written, its commands run, their output is compared.

A block is a file where the line before it is "`path`:", and stands for one line of a file where that is "In `path`, in place
of `line`:". A block of the kind `console` has commands after "$ ", each with its output: "…" in a line stands for anything, a
line that is "…" for any lines. After a line "In a second terminal:" the command goes on until the end; "The second terminal
has:" is before what else it prints."""

import os
import pathlib
import re
import select
import signal
import subprocess
import textwrap
import time

from installed import ROOT
from world import BUILD, DEADLINE, World, until

END = "\x1e"


def blocks(page):
    """Each block with its kind and the line of prose before it."""
    pattern = re.compile(r"([^\n]*)\n\n```(\w*)\n(.*?)^```$", re.S | re.M)
    found = pattern.findall((ROOT / "docs" / page).read_text())
    assert len(found) * 2 == sum(line.startswith("```") for line in (ROOT / "docs" / page).read_text().splitlines())
    return found


def commands(text):
    """The commands of a block, each with the output that the page shows. A line that ends with a backslash goes on."""
    first, *parts = re.split(r"^\$ ", text, flags=re.M)
    assert not first, f"output of no command: {first}"
    return [re.fullmatch(r"((?:.*\\\n)*.*)\n((?s:.*))", part).groups() for part in parts]


def shown(output):
    """A pattern of what the page shows."""
    lines = [r"(?:.*\n)*?" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n"
             for line in output.splitlines()]
    return re.compile("".join(lines))


class Terminal:
    """A program's output as it comes."""

    def __init__(self, command, env, directory):
        self.process = subprocess.Popen(
            command, env=env, cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True)
        self.text = ""

    def read_until(self, condition, what, seconds=DEADLINE):
        end = time.monotonic() + seconds
        while not (result := condition()):
            readable, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            data = os.read(self.process.stdout.fileno(), 65536) if readable else b""
            if not data:
                raise AssertionError(f"{what} did not come; this did:\n{self.text}")
            self.text += data.decode()
        return result

    def run(self, command):
        """In a shell: what the command prints."""
        self.text = ""
        self.process.stdin.write(f"{{ {command}\n}} </dev/null; printf '{END}\\n'\n".encode())
        self.process.stdin.flush()
        self.read_until(lambda: self.text.endswith(END + "\n"), f"the end of {command}", seconds=600)
        return self.text[:-2]

    def expect(self, output):
        """Waits for what the page shows, and takes it."""
        found = self.read_until(lambda: shown(output).match(self.text), output)
        self.text = self.text[found.end():]

    def directory(self):
        return os.readlink(f"/proc/{self.process.pid}/cwd")

    def close(self):
        """Ends it as Ctrl-C does, with the command that it may be waiting for."""
        self.process.stdin.close()
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
            try:
                self.process.wait(DEADLINE)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        self.process.stdout.close()


class PageWorld(World):
    """A person's home and runtime directory of its own. The broker is started as the page has it."""

    def setUp(self):
        super().setUp()
        self.env["PATH"] = f"{BUILD}:{os.environ['PATH']}"
        self.addCleanup(self.end_broker)

    def end_broker(self):
        """The one that extctl has started for this home."""
        if not self.can_connect(self.run_directory / "extensiond/admin/io.extensiond.Admin"):
            return
        process = self.ask("Status")["pid"]
        os.kill(process, signal.SIGTERM)
        until(lambda: not pathlib.Path(f"/proc/{process}").exists(), "the broker's end")
        until(lambda: not self.launcher_lives(), "the launcher's end")

    def here(self, text):
        """The page's places, as they are in this test."""
        for place, real in self.places().items():
            text = text.replace(place, str(real))
        return text

    def places(self):
        return {"/path/to/extensiond/.build/release": BUILD, "/path/to/extensiond": ROOT, "/home/you": self.home}

    def follow(self, page):
        self.shell = Terminal(["bash"], self.env, self.home)
        self.addCleanup(self.shell.close)
        for before, kind, text in blocks(page):
            name = re.fullmatch(r"`([^` ]+)`:", before)
            change = re.fullmatch(r"In `([^` ]+)`, in place of `([^`]+)`:", before)
            if name:
                self.write(name[1], self.here(text))
            elif change:
                self.change(*change.groups(), text)
            elif kind != "console":
                self.fail(f"{page}: a block that is neither a file nor commands:\n{text}")
            elif before.endswith("The second terminal has:"):
                self.second.expect(self.here(text))
            elif before.endswith("In a second terminal:"):
                [(command, output)] = commands(text)
                self.second = Terminal(["bash", "-c", f"exec {self.here(command)}"], self.env, self.shell.directory())
                self.addCleanup(self.second.close)
                self.second.expect(self.here(output))
            else:
                for command, output in commands(text):
                    self.check(self.here(command), self.here(output))

    def write(self, name, text):
        path = pathlib.Path(self.shell.directory(), name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def change(self, name, line, text):
        """As an author does in an editor: the lines get the place, and the depth, of the one before."""
        path = pathlib.Path(self.shell.directory(), name)
        pattern = ".*".join(map(re.escape, line.split("…")))
        changed, count = re.subn(
            f"^( *){pattern}\n", lambda found: textwrap.indent(text, found[1]), path.read_text(), flags=re.M)
        self.assertEqual(count, 1, f"{name} has not one line that is {line}")
        path.write_text(changed)

    def check(self, command, output):
        end = time.monotonic() + DEADLINE
        while True:
            # A page has no spaces at the ends of its lines.
            printed = re.sub(" +$", "", self.shell.run(command), flags=re.M)
            if shown(output).fullmatch(printed):
                return
            # What an extension wrote may be on its way. A reader looks again.
            if not command.startswith(("extctl logs ", "extctl explain ")) or time.monotonic() > end:
                self.assertEqual(printed, output, f"$ {command}")

"""`extensiond --ephemeral DIRECTORY -- COMMAND`: a broker for a host's own tests."""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import resource
import select
import signal
import subprocess
import sys
import termios
import time
import unittest

from probe import ENDING, Probe, ProbeWorld
from world import BUILD, DEADLINE, POINT, until


class Ephemeral(ProbeWorld):
    def setUp(self):
        super().setUp()
        self.bundles = self.place / "under-test"
        self.bundles.mkdir()
        # What is started inherits one of the two.
        self.mark = f"org.example.Ext{os.getpid()}x{id(self)}"
        self.env |= {"TEST_MARK": self.mark, "PATH": f"{BUILD}:{os.environ['PATH']}"}

    def runner(self):
        return [BUILD / "extensiond", "--ephemeral", self.bundles, "--"]

    def begin(self, *command, **options):
        process = subprocess.Popen(
            [*self.runner(), *map(str, command)], env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def run_command(self, *command, **options):
        """Its status and its output; and nothing is left of it."""
        process = self.begin(*command)
        output, errors = process.communicate(timeout=DEADLINE, **options)
        self.assertNothingLeft()
        return process.returncode, output, errors

    @staticmethod
    def kill(number):
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)

    def run_beside(self, *command):
        process = self.begin(*command)
        output, errors = process.communicate(timeout=DEADLINE)
        return process.returncode, output, errors

    def left(self):
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                environment, name = (process / "environ").read_bytes(), (process / "comm").read_text().strip()
            except OSError:
                continue
            if f"={self.mark}\0".encode() in environment:
                found.append((process.name, name))
        return found

    def assertNothingLeft(self):
        self.assertEqual(self.left(), [])
        self.assertEqual(list(self.run_directory.iterdir()), [])
        # The person's own things were not touched.
        self.assertEqual(list(self.home.iterdir()), [])

    def fill(self, **options):
        self.put(self.make_host(), self.bundles)
        return self.put(self.make_bundle(self.mark, **options), self.bundles)

    def test_everything_valid_is_approved_and_says_why(self):
        self.fill()
        broken = self.put(self.make_bundle("org.example.Broken", info={"CFBundleExecutable": "none"}), self.bundles)
        status, output, errors = self.run_command(
            "sh", "-c", f"extctl rescan --wait && extctl connect {self.mark} && extctl explain {self.mark} "
            f"&& extctl status && extctl list {broken}", input="hello")
        self.assertEqual(status, 0, errors)
        self.assertIn("hello", output)
        self.assertIn("this broker is ephemeral and approves all that is valid", output)
        self.assertIn("everything that is valid is approved", output)
        self.assertIn("invalid", output)
        # It says nothing of its own.
        self.assertEqual(errors, "")

    def test_only_the_directory_is_a_root(self):
        self.put(self.make_bundle())
        before = sorted(self.home.rglob("*"))
        process = self.begin("extctl", "status", "--json")
        roots = json.loads(process.communicate(timeout=DEADLINE)[0])["roots"]
        self.assertEqual([root["path"] for root in roots], [str(self.bundles)])
        self.assertEqual(sorted(self.home.rglob("*")), before)

    def test_a_host_uses_what_comes_and_what_is_built_anew(self):
        self.put(self.make_host(), self.bundles)
        host = Probe(self.env, runner=self.runner())
        self.addCleanup(host.close)
        self.assertEqual(host.do("monitor first"), "[] disabled 0 unapproved 0")
        host.do("watch")
        path = self.put(self.extension("Fresh", body=ENDING), self.bundles)
        self.assertEqual(
            host.event(), "changed added [Fresh 1.0] updated [] removed [] now [Fresh 1.0] disabled 0 unapproved 0")
        main = path / "main.py"
        for word in ("one", "two"):
            # Not yet noticed when it is used: it is read again then.
            main.write_text(main.read_text() + f"\n# {word}\n")
            host.do(f"activate {word} Fresh")
            host.do(f"connect {word} {word}")
            self.assertEqual(host.do(f"line {word} {word}"), word)
            host.do(f"invalidate {word}")
        host.process.stdin.close()
        self.assertEqual(host.process.wait(DEADLINE), 0)
        self.assertNothingLeft()

    def test_the_status_is_the_command_s(self):
        for command, status in (("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 143), ("kill -KILL $$", 137)):
            with self.subTest(command):
                self.assertEqual(self.run_command("sh", "-c", command)[0], status)

    def test_what_cannot_be_run_is_one_line(self):
        for command, status, line in (
            ("no-such-command", 127, "there is no command no-such-command in PATH"),
            ("/no/such/command", 127, "cannot run /no/such/command: No such file or directory"),
            (str(self.place), 126, f"cannot run {self.place}: Permission denied"),
        ):
            with self.subTest(command):
                self.assertEqual(self.run_command(command), (status, "", f"extensiond: {line}\n"))

    def test_a_directory_that_is_none_is_named(self):
        self.bundles.rmdir()
        status, _, errors = self.run_command("true")
        self.assertEqual(status, 78)
        self.assertEqual(
            errors, f"extensiond: cannot read the directory of bundles {self.bundles}: No such file or directory\n")

    def test_signals_go_to_the_command(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number):
                process = self.begin(
                    "sh", "-c", f"trap 'echo got; exit 9' {number.name[3:]}; echo ready; while :; do read -r line; done")
                self.assertEqual(process.stdout.readline(), "ready\n")
                process.send_signal(number)
                # A shell runs its trap when its builtin is done.
                process.stdin.write("\n")
                process.stdin.flush()
                self.assertEqual(process.stdout.readline(), "got\n")
                self.assertEqual(process.wait(DEADLINE), 9)
                self.assertNothingLeft()

    def test_ctrl_c_comes_to_the_command_once(self):
        counting = (
            "import os, signal, sys\n"
            "count = 0\n"
            "def got(*_):\n    global count; count += 1\n"
            "signal.signal(signal.SIGINT, got)\n"
            "print('ready', flush=True); sys.stdin.readline(); print('count', count, flush=True)")
        terminal, other = pty.openpty()
        self.addCleanup(os.close, terminal)
        process = subprocess.Popen(
            [*self.runner(), sys.executable, "-c", counting], env=self.env, stdin=other, stdout=other, stderr=other,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(other)
        self.addCleanup(lambda: (process.poll() is None and process.kill(), process.wait()))
        text = ""

        def read_until(wanted):
            nonlocal text
            while wanted not in text:
                ready, _, _ = select.select([terminal], [], [], DEADLINE)
                self.assertTrue(ready, f"'{wanted}' did not come, but {text!r}")
                text += os.read(terminal, 4096).decode()

        read_until("ready")
        os.write(terminal, b"\x03")
        read_until("^C")
        # Whoever forwards has its turn before the answer of its broker.
        self.assertEqual(self.extctl_inside(process).returncode, 0)
        os.write(terminal, b"\n")
        read_until("count 1")
        self.assertEqual(process.wait(DEADLINE), 0)
        self.assertNothingLeft()

    def extctl_inside(self, process):
        """Asks the broker of a run that goes on."""
        directory = until(lambda: list(self.run_directory.iterdir()), "its directory")[0]
        return subprocess.run(
            [BUILD / "extctl", "status"], env={**self.env, "XDG_RUNTIME_DIR": str(directory)}, capture_output=True,
            timeout=DEADLINE)

    def test_a_host_is_told_of_very_many_extensions(self):
        self.put(self.make_host(), self.bundles)
        names = [f"org.example.N{number}" for number in range(500)]
        # As many bytes as of 10,000 that say less.
        words = {key: "1" * 500 for key in ("Description", "Developer", "License")}
        words["HomePage"] = "https://" + "1" * 490
        for name in names:
            info = {"Extensiond": words, "NSHumanReadableCopyright": "1" * 500}
            self.put(self.make_bundle(name, info=info), self.bundles)
        process = self.begin("sh", "-c", "extctl rescan --wait; echo $XDG_RUNTIME_DIR; read -r line")
        self.run_directory = pathlib.Path(process.stdout.readline().strip())
        host = self.host()
        # Whoever asks on before reading gets every answer in its turn.
        for _ in range(3):
            host.send("Discover", {"extensionPoints": [POINT]})
        for _ in range(3):
            identities = host.receive()["snapshot"]["identities"]
            self.assertEqual([one["id"] for one in identities], sorted(names))
        self.assertGreater(len(json.dumps(identities)), 5 << 18)
        stream = self.subscribe()
        self.assertEqual(len(stream.receive()["snapshot"]["identities"]), len(names))

    def test_nothing_outlives_a_killed_command(self):
        self.fill(body="def stop(p): pass\nimport signal\nsignal.signal(15, signal.SIG_IGN)")
        process = self.begin(
            "sh", "-c", f"extctl rescan --wait; setsid sh -c 'extctl activate {self.mark} & trap : TERM; read line' & "
            "echo $$; read line")
        shell = int(process.stdout.readline())
        until(lambda: any(name == "main.py" for _, name in self.left()), "an instance")
        os.kill(shell, signal.SIGKILL)
        self.assertEqual(process.wait(DEADLINE), 137)
        self.assertNothingLeft()

    def test_what_a_killed_one_leaves_ends_and_is_removed_by_the_next(self):
        self.fill()
        process = self.begin(
            "sh", "-c", f"echo $$; extctl rescan --wait; extctl activate {self.mark} >&2 & trap 'echo told; exit' TERM; "
            "while read -r line; do :; done")
        self.addCleanup(self.kill, int(process.stdout.readline()))
        until(lambda: any(name == "main.py" for _, name in self.left()), "an instance")
        other = self.begin("sh", "-c", "echo $XDG_RUNTIME_DIR; read -r line")
        used = other.stdout.readline().strip()
        process.kill()
        process.wait()
        # Its command is told; the launcher ends what runs when no broker comes.
        with contextlib.suppress(BrokenPipeError):
            os.write(process.stdin.fileno(), b"\n")
        until(lambda: select.select([process.stdout], [], [], 0)[0], "what the command says of its signal")
        self.assertEqual(process.stdout.readline(), "told\n")
        until(lambda: len(self.left()) == 3, "the end of all but the other one")
        self.assertEqual(len(list(self.run_directory.iterdir())), 2)
        status, output, errors = self.run_beside("sh", "-c", "echo $XDG_RUNTIME_DIR")
        self.assertEqual((status, errors), (0, ""))
        # Only what nobody uses was removed.
        self.assertEqual([str(path) for path in self.run_directory.iterdir()], [used])
        self.assertEqual(other.communicate("\n", timeout=DEADLINE)[1], "")
        self.assertNothingLeft()

    def test_what_is_written_while_it_ends_is_removed_too(self):
        process = self.begin("sh", "-c", "echo $XDG_RUNTIME_DIR; read -r line")
        directory = pathlib.Path(process.stdout.readline().strip())
        process.stdin.write("\n")
        process.stdin.flush()
        end = time.monotonic() + 0.5
        count = 0
        while time.monotonic() < end and directory.exists():
            with contextlib.suppress(FileNotFoundError):
                (directory / str(count)).touch()
            count += 1
        self.assertEqual(process.wait(DEADLINE), 0)
        self.assertNothingLeft()

    def test_the_command_keeps_its_descriptors_and_its_mask(self):
        reading, writing = os.pipe()
        try:
            process = self.begin(
                "sh", "-c", f"umask; ulimit -n; echo through >&{writing}", pass_fds=[writing],
                preexec_fn=lambda: os.umask(0o027))
            self.assertEqual(process.wait(DEADLINE), 0)
            self.assertEqual(os.read(reading, 100), b"through\n")
            self.assertEqual(
                process.stdout.read(), f"0027\n{resource.getrlimit(resource.RLIMIT_NOFILE)[0]}\n")
        finally:
            os.close(reading)
            os.close(writing)


if __name__ == "__main__":
    unittest.main()

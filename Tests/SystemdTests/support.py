"""What the tests of the units share: checks, the programs, and a host."""
import json
import os
import pathlib
import plistlib
import select
import shutil
import signal
import subprocess
import sys
import time
import traceback

PLACE = pathlib.Path(sys.argv[1])
EXTCTL = str(PLACE / "usr/bin/extctl")
BROKER, LAUNCHER, SOCKET = "extensiond.service", "extensiond-launcher.service", "extensiond.socket"
UNITS = pathlib.Path(os.environ["HOME"]) / ".config/systemd/user"
RUNTIME = pathlib.Path(os.environ["XDG_RUNTIME_DIR"])
GREETING = "io.extensiond.example.python-greeting"
# No check that passes waits for it to be over.
DEADLINE = 60
results = {"passed": 0, "failed": 0}


def check(name, condition, seen=""):
    results["passed" if condition else "failed"] += 1
    print(f"{'ok  ' if condition else 'FAIL'} {name}" + (f" [{seen}]" if seen != "" else ""), flush=True)
    return bool(condition)


def wait(condition, seconds=DEADLINE):
    """The first true value of the condition; its last value after the deadline."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > deadline:
            return value
        select.select([], [], [], 0.02)


def run(*command, timeout=2 * DEADLINE):
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def systemctl(*arguments):
    return run("systemctl", "--user", *arguments)


def show(unit, name):
    return systemctl("show", "-P", name, unit)[1]


def main_pid(unit):
    return int(show(unit, "MainPID") or 0)


def extctl(*arguments):
    """The JSON object that a command prints."""
    status, output, errors = run(EXTCTL, *arguments, "--json")
    try:
        return {**json.loads(output), "exit": status}
    except ValueError:
        return {"exit": status, "output": output, "errors": errors}


def kill(pid):
    descriptor = os.pidfd_open(pid)
    signal.pidfd_send_signal(descriptor, signal.SIGKILL)
    select.select([descriptor], [], [], DEADLINE)
    os.close(descriptor)


def lives(pid):
    return os.path.exists(f"/proc/{pid}")


def instances(extension=GREETING):
    return [item for item in extctl("ps").get("instances", []) if item["extension"] == extension]


def activations():
    return [item["id"] for item in extctl("connections").get("activations", [])]


class Host:
    """An `extctl` that is a host."""

    def __init__(self, *arguments, before=()):
        self.process = subprocess.Popen(
            [*before, EXTCTL, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def line(self, seconds=DEADLINE):
        line, deadline = b"", time.monotonic() + seconds
        descriptor = self.process.stdout.fileno()
        while not line.endswith(b"\n"):
            if not select.select([descriptor], [], [], max(0, deadline - time.monotonic()))[0]:
                break
            byte = os.read(descriptor, 1)
            if not byte:
                break
            line += byte
        return line.decode().strip()

    def ends(self, seconds=DEADLINE):
        try:
            self.process.wait(seconds)
            return True
        except subprocess.TimeoutExpired:
            return False


class Connection(Host):
    """`extctl connect`: one connection and one lease."""

    def __init__(self, extension=GREETING):
        super().__init__("connect", extension)

    def say(self, text, seconds=DEADLINE):
        try:
            self.process.stdin.write(text.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return ""
        return self.line(seconds)

    def close(self):
        self.process.stdin.close()
        if not self.ends():
            self.process.kill()
            self.process.wait()


class Activation(Host):
    """`extctl activate`: one lease, and every step that the host is told."""

    def __init__(self, extension=GREETING, host=None, before=()):
        super().__init__("activate", "--json", *(["--host", host] if host else []), extension, before=before)
        self.state = self.event().get("state")

    def event(self, seconds=DEADLINE):
        return json.loads(self.line(seconds) or "{}")

    def reason(self, seconds=DEADLINE):
        """Why it ended; what was told instead, if it was not that."""
        event = self.event(seconds)
        while event.get("state") in ("activated", "willDeactivate"):
            event = self.event()
        self.ends()
        return event.get("reason") or event

    def close(self):
        self.process.terminate()
        self.ends()


def install_units():
    UNITS.mkdir(parents=True)
    for unit in (PLACE / "usr/lib/systemd/user").iterdir():
        shutil.copy(unit, UNITS)
    systemctl("daemon-reload")


def drop_in(unit, *settings):
    """Settings of a service that the shipped unit does not have."""
    directory = UNITS / f"{unit}.d"
    directory.mkdir()
    (directory / "test.conf").write_text("\n".join(["[Service]", *settings, ""]))
    systemctl("daemon-reload")


def remove_drop_in(unit):
    shutil.rmtree(UNITS / f"{unit}.d")
    systemctl("daemon-reload")


def install_extension(identifier, program, limits=None, approve=True):
    """The example under another name, with a program text that is run before it serves, and limits; approved unless told."""
    bundle = pathlib.Path(os.environ["HOME"]) / f"{identifier}.appex"
    shutil.copytree(PLACE / "bundles/python-greeting.appex", bundle)
    information = bundle / "Info.plist"
    values = plistlib.loads(information.read_bytes())
    values["CFBundleIdentifier"] = identifier
    if limits:
        values["Extensiond"] = {"Limits": limits}
    information.write_bytes(plistlib.dumps(values))
    main = bundle / "main.py"
    text = main.read_text()
    assert "\nbuffer = b" in text
    main.write_text(text.replace("\nbuffer = b", program + "\nbuffer = b", 1))
    run(EXTCTL, "install", str(bundle))
    extctl("rescan", "--wait")
    if approve:
        check(f"approve {identifier}", run(EXTCTL, "approve", "--yes", identifier)[0] == 0)


def report(test):
    """Runs the test and ends the program with the number of checks that passed and failed."""
    try:
        test()
    except Exception as error:  # What was seen so far is worth the report.
        check("the test came to its end", False, repr(error))
        traceback.print_exc()
    if results["failed"]:
        print(run("journalctl", "--user", "-n", "60", "--no-pager", "-q", "-o", "short-monotonic")[1])
    print(f"{results['passed']} passed, {results['failed']} failed")
    sys.exit(1 if results["failed"] else 0)

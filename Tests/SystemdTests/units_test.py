#!/usr/bin/python3
"""The shipped units under a real user manager. Run by Tests/Support/run-systemd-tests, which installs the programs.

One line a check; the exit status is 0 if none failed.
"""
import json
import os
import pathlib
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
RUNTIME = pathlib.Path(os.environ["XDG_RUNTIME_DIR"])
GREETING = "io.extensiond.example.python-greeting"
PROBE = "io.extensiond.test.probe"
results = {"passed": 0, "failed": 0}


def check(name, condition, seen=""):
    results["passed" if condition else "failed"] += 1
    print(f"{'ok  ' if condition else 'FAIL'} {name}" + (f" [{seen}]" if seen != "" else ""), flush=True)
    return bool(condition)


def wait(condition, seconds=15.0):
    """The first true value of the condition; its last value after the deadline."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > deadline:
            return value
        select.select([], [], [], 0.02)


def run(*command, timeout=60):
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
    select.select([descriptor], [], [], 10)
    os.close(descriptor)


def lives(pid):
    return os.path.exists(f"/proc/{pid}")


def instances(extension=GREETING):
    return [item for item in extctl("ps").get("instances", []) if item["extension"] == extension]


def activations():
    return [item["id"] for item in extctl("connections").get("activations", [])]


class Connection:
    """`extctl connect`: a host with one connection and one lease."""

    def __init__(self, extension=GREETING):
        self.process = subprocess.Popen(
            [EXTCTL, "connect", extension], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def say(self, text):
        try:
            self.process.stdin.write(text.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return ""
        return self.line()

    def line(self, seconds=15):
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

    def ends(self, seconds=10):
        try:
            self.process.wait(seconds)
            return True
        except subprocess.TimeoutExpired:
            return False

    def close(self):
        self.process.stdin.close()
        if not self.ends(5):
            self.process.kill()
            self.process.wait()


PROBE_PROGRAM = r'''
import ctypes, mmap
libc = ctypes.CDLL(None, use_errno=True)


def probe():
    facts = {}
    try:
        mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close()
        facts["writableExecutable"] = True
    except OSError as error:
        facts["writableExecutable"] = str(error)
    child = os.fork()
    if child == 0:
        os._exit(0 if libc.unshare(0x10000000) == 0 else ctypes.get_errno())
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    facts["userNamespace"] = "allowed" if code == 0 else os.strerror(code)
    return facts


def greet(descriptor, scene):
    with socket.socket(fileno=descriptor) as connection, connection.makefile("rw") as lines:
        for name in lines:
            lines.write(json.dumps(probe()) + "\n")
            lines.flush()


import sys
print("the probe says hello", file=sys.stderr, flush=True)
'''


def make_probe():
    """The example, with another name and other answers."""
    bundle = pathlib.Path(os.environ["HOME"]) / "Probe.appex"
    shutil.copytree(PLACE / "bundles/python-greeting.appex", bundle)
    information = bundle / "Info.plist"
    information.write_text(information.read_text().replace(GREETING, PROBE))
    program = bundle / "main.py"
    text = program.read_text()
    assert "\nbuffer = b" in text
    program.write_text(text.replace("\nbuffer = b", PROBE_PROGRAM + "\nbuffer = b", 1))
    return str(bundle)


def process_status(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def test_start():
    directory = pathlib.Path(os.environ["HOME"]) / ".config/systemd/user"
    directory.mkdir(parents=True)
    for unit in (PLACE / "usr/lib/systemd/user").iterdir():
        shutil.copy(unit, directory)
    systemctl("daemon-reload")
    status, output, errors = run("systemd-analyze", "--user", "--man=no", "verify", *map(str, directory.glob("extensiond*")))
    check("systemd-analyze finds no fault in the units", status == 0 and "extensiond" not in errors, errors[:300])
    systemctl("enable", "--now", SOCKET)
    check("the socket listens and no broker runs", show(SOCKET, "ActiveState") == "active" and main_pid(BROKER) == 0)
    modes = [oct(os.stat(RUNTIME / path).st_mode & 0o777) for path in (
        "extensiond/broker", "extensiond/broker/io.extensiond.Broker", "extensiond/admin/io.extensiond.Admin")]
    check("sockets are for their owner alone", modes == ["0o700", "0o600", "0o600"], modes)
    answer = extctl("status")
    check("the first connect starts the broker", answer.get("pid") == main_pid(BROKER) != 0, answer.get("errors", ""))
    check("the broker is ready", show(BROKER, "ActiveState") == "active" and show(BROKER, "StatusText") == "serving",
          show(BROKER, "StatusText"))
    check("the launcher is connected", wait(lambda: extctl("status").get("launcherPid") == main_pid(LAUNCHER) != 0),
          show(LAUNCHER, "StatusText"))
    check("the launcher has control groups", extctl("status").get("controlGroups") is True)
    watchdog = show(BROKER, "WatchdogUSec")
    check("the watchdog is set", watchdog == "30s", watchdog)


def test_use():
    for bundle in ("GreetingHost.app", "python-greeting.appex"):
        answer = extctl("install", str(PLACE / "bundles" / bundle))
        check(f"install {bundle}", answer["exit"] == 0, answer.get("errors", ""))
    extctl("rescan", "--wait")
    listed = {item.get("identifier"): item["state"] for item in extctl("list").get("extensions", [])}
    check("the extension is listed and waits", listed.get(GREETING) == "unapproved", listed)
    check("an unapproved one is not activated", extctl("activate", GREETING)["exit"] != 0)
    check("approve", run(EXTCTL, "approve", "--yes", GREETING)[0] == 0)
    connection = Connection()
    greeting = connection.say("Ada")
    check("connect", greeting == "Greetings from Python, Ada!", greeting)
    pid = instances()[0]["pid"]
    group = pathlib.Path(f"/proc/{pid}/cgroup").read_text().strip().splitlines()[-1]
    own = show(LAUNCHER, "ControlGroup")
    check("the instance has a control group of its own under the launcher's", f"{own}/i-" in group, group)
    return connection, pid


def test_broker_ends(connection, pid):
    launcher, before = main_pid(LAUNCHER), activations()
    for name, action in [
        ("SIGKILL of the broker", lambda: kill(main_pid(BROKER))),
        ("SIGKILL again", lambda: kill(main_pid(BROKER))),
        ("a crash of the broker", lambda: os.kill(main_pid(BROKER), signal.SIGILL)),
        ("restart of the broker", lambda: systemctl("restart", BROKER)),
        ("daemon-reexec of the manager", lambda: systemctl("daemon-reexec")),
    ]:
        old, started = main_pid(BROKER), time.monotonic()
        action()
        greeting = connection.say("Lin")
        check(f"{name}: the connection lives on", greeting == "Greetings from Python, Lin!", greeting)
        if "daemon-reexec" not in name:
            new = wait(lambda: main_pid(BROKER) not in (0, old) and show(BROKER, "ActiveState") == "active" and main_pid(BROKER))
            check(f"{name}: another broker is there by itself", new and new != old,
                  f"{(time.monotonic() - started) * 1000:.0f} ms")
        check(f"{name}: it knows the activation", wait(lambda: before and activations() == before), activations())
        check(f"{name}: the instance and the launcher are the same",
              [item["pid"] for item in instances()] == [pid] and main_pid(LAUNCHER) == launcher)
        # Three brokers that are lost within 250 ms each are a clean start, which is another test's.
        time.sleep(0.4)
    other = Connection()
    check("a new connection works", other.say("Eve") == "Greetings from Python, Eve!")
    other.close()
    check("its end is its own", wait(lambda: activations() == before), activations())


def test_watchdog(connection):
    """With a short interval, since the shipped one would take half a minute."""
    directory = pathlib.Path(os.environ["HOME"]) / f".config/systemd/user/{BROKER}.d"
    directory.mkdir()
    (directory / "test.conf").write_text("[Service]\nWatchdogSec=1s\n")
    systemctl("daemon-reload")
    systemctl("restart", BROKER)
    old, before = main_pid(BROKER), activations()
    time.sleep(2.5)
    check("a broker that turns feeds the watchdog", main_pid(BROKER) == old)
    descriptor = os.pidfd_open(old)
    signal.pidfd_send_signal(descriptor, signal.SIGSTOP)
    os.close(descriptor)
    started = time.monotonic()
    check("one that hangs is replaced, at once after the interval", wait(
        lambda: main_pid(BROKER) not in (0, old) and show(BROKER, "ActiveState") == "active", 5),
        f"{(time.monotonic() - started) * 1000:.0f} ms")
    check("a hang of the broker: the connection lives on", connection.say("Lin") == "Greetings from Python, Lin!")
    check("a hang of the broker: it knows the activation", wait(lambda: before and activations() == before))
    shutil.rmtree(directory)
    systemctl("daemon-reload")
    systemctl("restart", BROKER)


def test_hardening():
    own = os.readlink("/proc/self/ns/user")
    expected = {
        BROKER: {"NoNewPrivs": "1", "Seccomp": "2", "user name space": own, "CapEff": "0000000000000000"},
        LAUNCHER: {"NoNewPrivs": "1", "Seccomp": "2", "user name space": own, "CapEff": "0000000000000000"},
    }
    for unit, table in expected.items():
        pid = main_pid(unit)
        status = process_status(pid)
        status["user name space"] = os.readlink(f"/proc/{pid}/ns/user")
        for name, value in table.items():
            check(f"{unit}: {name}", status.get(name) == value, status.get(name))
        mounts = [os.readlink(f"/proc/{process}/ns/mnt") for process in (pid, "self")]
        check(f"{unit}: same mounts as the session", mounts[0] == mounts[1])
    run(EXTCTL, "install", make_probe())
    extctl("rescan", "--wait")
    check("approve the probe", run(EXTCTL, "approve", "--yes", PROBE)[0] == 0)
    connection = Connection(PROBE)
    answer = connection.say("probe")
    facts = json.loads(answer or "{}")
    check("an extension may map writable and executable memory", facts.get("writableExecutable") is True, facts)
    check("whether it may make a user name space is known", "userNamespace" in facts, facts.get("userNamespace"))

    def line():
        output = run("journalctl", "--user", f"EXTENSION={PROBE}", "-o", "json", "--no-pager", "-q")[1]
        entries = [json.loads(text) for text in output.splitlines()]
        return [entry for entry in entries if entry["MESSAGE"] == "the probe says hello"]

    entry = (wait(line) or [{}])[0]
    check("the journal has its standard error, with fields",
          entry.get("INSTANCE") and entry.get("_SYSTEMD_USER_UNIT") == LAUNCHER,
          {name: entry.get(name) for name in ("EXTENSION", "INSTANCE", "_SYSTEMD_USER_UNIT")})
    connection.close()


def test_launcher_ends(connection, pid):
    broker, old = main_pid(BROKER), main_pid(LAUNCHER)
    kill(old)
    check("SIGKILL of the launcher: the instance ends", wait(lambda: not lives(pid)))
    check("SIGKILL of the launcher: the connection ends", connection.ends())
    check("SIGKILL of the launcher: it is back", wait(lambda: main_pid(LAUNCHER) not in (0, old)))
    check("SIGKILL of the launcher: the broker is the same", main_pid(BROKER) == broker)
    again = Connection()
    greeting = again.say("Ada")
    check("SIGKILL of the launcher: the next activation works", greeting == "Greetings from Python, Ada!", greeting)
    check("SIGKILL of the launcher: nothing is left of the old", len(activations()) == 1, activations())
    return again


def test_stop(connection):
    pids = [main_pid(BROKER), main_pid(LAUNCHER)] + [item["pid"] for item in instances()]
    group = show(LAUNCHER, "ControlGroup")
    systemctl("stop", SOCKET)
    check("stopping the socket stops all three", wait(
        lambda: all(show(unit, "ActiveState") == "inactive" for unit in (SOCKET, BROKER, LAUNCHER))),
        [show(unit, "ActiveState") for unit in (SOCKET, BROKER, LAUNCHER)])
    check("no process is left", wait(lambda: not any(map(lives, pids))), [pid for pid in pids if lives(pid)])
    check("the connection has ended", connection.ends())
    check("no control group is left", wait(lambda: not os.path.exists("/sys/fs/cgroup" + group)), group)
    failed = systemctl("list-units", "--failed", "--plain", "--no-legend")[1]
    check("nothing failed", failed == "", failed)
    check("no socket of the launcher is left", not (RUNTIME / "extensiond/launcher").exists())
    systemctl("start", SOCKET)
    connection = Connection()
    check("started again, everything works", connection.say("Ada") == "Greetings from Python, Ada!")
    connection.close()
    systemctl("stop", SOCKET)


def main():
    test_start()
    connection, pid = test_use()
    test_broker_ends(connection, pid)
    test_watchdog(connection)
    test_hardening()
    connection = test_launcher_ends(connection, pid)
    test_stop(connection)


try:
    main()
except Exception as error:  # What was seen so far is worth the report.
    check("the test came to its end", False, repr(error))
    traceback.print_exc()
if results["failed"]:
    print(run("journalctl", "--user", "-n", "60", "--no-pager", "-q", "-o", "short-monotonic")[1])
print(f"{results['passed']} passed, {results['failed']} failed")
sys.exit(1 if results["failed"] else 0)

#!/usr/bin/python3
"""The shipped units under a real user manager. Run by Tests/Support/run-systemd-tests, which installs the programs.

One line a check; the exit status is 0 if none failed.
"""
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import time

from scenes import (
    KILLS, OTHER_ENDS, test_broker_ends, test_host_names, test_launcher_ends, test_start, test_stop, test_use)
from support import (
    BROKER, EXTCTL, GREETING, LAUNCHER, PLACE, SOCKET, Connection, activations, check, drop_in, extctl, install_extension, main_pid,
    remove_drop_in, report, run, show, systemctl, wait)

PROBE = "io.extensiond.test.probe"
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


def process_status(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def test_watchdog(connection):
    """With a shorter interval than the shipped one; long enough for a broker on a busy machine."""
    drop_in(BROKER, "WatchdogSec=5s")
    systemctl("restart", BROKER)
    old, before = main_pid(BROKER), activations()
    time.sleep(7.5)
    check("a broker that turns feeds the watchdog", main_pid(BROKER) == old)
    descriptor = os.pidfd_open(old)
    signal.pidfd_send_signal(descriptor, signal.SIGSTOP)
    os.close(descriptor)
    started = time.monotonic()
    check("one that hangs is replaced, at once after the interval", wait(
        lambda: main_pid(BROKER) not in (0, old) and show(BROKER, "ActiveState") == "active"),
        f"{(time.monotonic() - started) * 1000:.0f} ms")
    check("a hang of the broker: the connection lives on", connection.say("Lin") == "Greetings from Python, Lin!")
    check("a hang of the broker: it knows the activation", wait(lambda: before and activations() == before))
    remove_drop_in(BROKER)
    systemctl("restart", BROKER)


def test_cannot_start():
    """State that another version wrote takes a person to mend: until then the unit says it, and does not spin."""
    state = pathlib.Path(os.environ["HOME"]) / ".local/state/extensiond"
    systemctl("stop", SOCKET, BROKER, LAUNCHER)
    kept = state.with_name("kept")
    state.rename(kept)
    state.mkdir()
    with sqlite3.connect(state / "decisions.sqlite") as database:
        database.execute("PRAGMA user_version=1000")
    database.close()
    systemctl("start", "--no-block", SOCKET, BROKER)
    told = wait(lambda: "newer version" in show(BROKER, "StatusText") and show(BROKER, "StatusText"))
    check("a broker that cannot start says why in its status", told, told)
    restarts = int(show(BROKER, "NRestarts"))
    pid = main_pid(BROKER)
    # In the time in which it used to end and begin five times.
    check("and does not begin again at once", not wait(lambda: main_pid(BROKER) != pid, 1.5))
    check("nor was it restarted", int(show(BROKER, "NRestarts")) == restarts)
    shutil.rmtree(state)
    kept.rename(state)
    check("mended, it comes by itself", wait(lambda: show(BROKER, "ActiveState") == "active"))


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
        # It must see what the person sees: who owns a bundle, and which program a host is.
        for name in ("mnt", "pid", "net", "ipc"):
            spaces = [os.readlink(f"/proc/{process}/ns/{name}") for process in (pid, "self")]
            check(f"{unit}: name space {name} as the session's", spaces[0] == spaces[1], spaces)
        mounts = [pathlib.Path(f"/proc/{process}/mountinfo").read_text() for process in (pid, "self")]
        check(f"{unit}: mounts as the session's", mounts[0] == mounts[1])
    install_extension(PROBE, PROBE_PROGRAM)
    connection = Connection(PROBE)
    answer = connection.say("probe")
    facts = json.loads(answer or "{}")
    check("an extension may map writable and executable memory", facts.get("writableExecutable") is True, facts)
    check("it may make no user name space", facts.get("userNamespace") == "Operation not permitted", facts)

    def line():
        output = run("journalctl", "--user", f"EXTENSION={PROBE}", "-o", "json", "--no-pager", "-q")[1]
        entries = [json.loads(text) for text in output.splitlines()]
        return [entry for entry in entries if entry["MESSAGE"] == "the probe says hello"]

    entry = (wait(line) or [{}])[0]
    check("the journal has its standard error, with fields",
          entry.get("INSTANCE") and entry.get("_SYSTEMD_USER_UNIT") == LAUNCHER,
          {name: entry.get(name) for name in ("EXTENSION", "INSTANCE", "_SYSTEMD_USER_UNIT")})
    connection.close()


def test_signature():
    """The unit's filter lets the broker start ssh-keygen, and that one do its work."""
    home, identifier = pathlib.Path(os.environ["HOME"]), "io.extensiond.test.signed"
    bundle = home / f"{identifier}.appex"
    shutil.copytree(PLACE / "bundles/python-greeting.appex", bundle)
    information = bundle / "Info.plist"
    information.write_text(information.read_text().replace(GREETING, identifier))
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(home / "key"))
    signed = run(EXTCTL, "sign", str(bundle), "--key", str(home / "key"))
    check("a bundle is signed", signed[0] == 0, signed[1] or signed[2])
    run(EXTCTL, "install", str(bundle))
    row = (extctl("list", identifier).get("extensions") or [{}])[0]
    check("the broker verifies its signature", row.get("publisher", "").startswith("SHA256:"), row.get("explanation"))


NOTIFICATIONS, SHOWN = (pathlib.Path(os.environ["HOME"]) / name for name in ("notifications", "shown"))


def start_notification_server():
    """And a terminal that says what it was to show, and as what it runs."""
    terminal = SHOWN.with_name("terminal")
    terminal.write_text(
        f'#!/bin/sh\n(printf "%s\\n" "$@"; cat /proc/self/cgroup; grep -E "NoNewPrivs|Seccomp:" /proc/self/status) > {SHOWN}.new\n'
        f"mv {SHOWN}.new {SHOWN}\n")
    terminal.chmod(0o755)
    systemctl("set-environment", f"TERMINAL={terminal}")
    NOTIFICATIONS.touch()
    return subprocess.Popen(
        [PLACE / "notification-server", NOTIFICATIONS, "actions", "markup"], stdin=subprocess.PIPE, text=True)


def test_notification(server):
    """The unit's filter lets the broker talk to the bus, and the manager start what the broker may not."""
    install_extension("io.extensiond.test.noticed", "", approve=False)

    def found():
        events = map(json.loads, NOTIFICATIONS.read_text().splitlines())
        return [event for event in events if "io.extensiond.test.noticed" in event.get("body", "")]

    event = (wait(found) or [{}])[0]
    check("what waits for approval is announced", event.get("actions") == ["details", "Details"], event)
    server.stdin.write(f"click {event.get('number', 0)}\n")
    server.stdin.flush()
    wait(SHOWN.exists)
    shown = SHOWN.read_text().splitlines() if SHOWN.exists() else [""] * 5
    check("a click opens a terminal", shown[0] == "-e" and shown[2:5] == ["browse", "--", "io.extensiond.test.noticed"], shown)
    check("it has a unit of its own, and is not as confined as the broker",
          "app-extensiond" in "".join(shown[5:]) and {"NoNewPrivs:\t0", "Seccomp:\t0"} <= set(shown), shown[5:])
    server.stdin.close()
    server.wait()


def main():
    server = start_notification_server()
    test_start()
    connection, pid = test_use()
    test_host_names()
    test_broker_ends(connection, pid, KILLS + OTHER_ENDS)
    test_watchdog(connection)
    test_hardening()
    test_signature()
    test_notification(server)
    connection = test_launcher_ends(connection, pid)
    test_stop(connection)
    test_cannot_start()


report(main)

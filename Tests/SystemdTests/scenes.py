"""The life of the units from their installation to their stop, which must be the same under every kernel."""
import os
import pathlib
import signal
import time

from support import (
    BROKER, EXTCTL, GREETING, LAUNCHER, PLACE, RUNTIME, SOCKET, UNITS, Activation, Connection, activations, check,
    extctl, install_units, instances, kill, lives, main_pid, run, show, systemctl, wait)


def test_start():
    install_units()
    units = map(str, UNITS.glob("extensiond*"))
    status, _, errors = run("systemd-analyze", "--user", "--man=no", "verify", *units)
    check("systemd-analyze finds no fault in the units", status == 0 and "extensiond" not in errors, errors[:300])
    systemctl("enable", "--now", SOCKET)
    check("the socket listens and no broker runs", show(SOCKET, "ActiveState") == "active" and main_pid(BROKER) == 0)
    words = run(EXTCTL, "words", "bundles,hosts,instances")
    check("completions start no broker", words == (0, "", "") and main_pid(BROKER) == 0, words)
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


def test_host_names():
    """A desktop gives each application a unit with its name in it."""
    name = "org.example.Desktop"
    for unit, known in (("app-test-org.example.Desktop@7", "verified"), ("app-test-org.example.Other@7", "claimed")):
        unit += ".service"
        # A service and no scope: this manager could not move a process into one from where the test runs.
        host = Activation(host=name, before=("systemd-run", "--user", "--quiet", "--collect", "--pipe", f"--unit={unit}"))
        check(f"a host in {unit} activates", host.state == "activated", host.state)
        hosts = {item["identifier"]: item["verified"] for item in extctl("hosts").get("hosts", [])}
        check(f"a host in {unit} is {known}", hosts.get(name) == (known == "verified"), hosts)
        gates = {gate["name"]: gate["evidence"] for gate in extctl("explain", GREETING, "--host", name).get("gates", [])}
        check("explain says so", gates.get("host") == f"{name} is connected, {known}", gates.get("host"))
        systemctl("stop", unit)
        host.close()


KILLS = [
    ("SIGKILL of the broker", lambda: kill(main_pid(BROKER))),
    ("SIGKILL again", lambda: kill(main_pid(BROKER))),
]
OTHER_ENDS = [
    ("a crash of the broker", lambda: os.kill(main_pid(BROKER), signal.SIGILL)),
    ("restart of the broker", lambda: systemctl("restart", BROKER)),
    ("daemon-reexec of the manager", lambda: systemctl("daemon-reexec")),
]


def test_broker_ends(connection, pid, ends):
    launcher, before = main_pid(LAUNCHER), activations()
    for name, action in ends:
        old, started = main_pid(BROKER), time.monotonic()
        action()
        greeting = connection.say("Lin")
        check(f"{name}: the connection lives on", greeting == "Greetings from Python, Lin!", greeting)
        if "daemon-reexec" not in name:
            new = wait(lambda: main_pid(BROKER) not in (0, old) and show(BROKER, "ActiveState") == "active"
                       and main_pid(BROKER))
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


def test_launcher_ends(connection, pid):
    broker, old = main_pid(BROKER), main_pid(LAUNCHER)
    host, restarts = Activation(), int(show(LAUNCHER, "NRestarts"))
    kill(old)
    check("SIGKILL of the launcher: the instance ends", wait(lambda: not lives(pid)))
    check("SIGKILL of the launcher: the connection ends", connection.ends())
    reason = host.reason()
    check("SIGKILL of the launcher: the host is told", reason.get("kind") == "launcherGone", reason)
    check("SIGKILL of the launcher: it is back", wait(lambda: main_pid(LAUNCHER) not in (0, old)))
    # What is left of the groups could keep the service manager from starting it.
    tries = int(show(LAUNCHER, "NRestarts")) - restarts
    check("SIGKILL of the launcher: it is back at the first try", tries == 1, tries)
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

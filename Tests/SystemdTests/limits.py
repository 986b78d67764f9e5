"""Limits that control groups hold, with the sandbox, and over the end of a broker."""
import errno
import json
import os
import pathlib
import signal

from support import (
    BROKER, DEADLINE, LAUNCHER, Activation, Connection, check, extctl, install_extension, instances, kill, main_pid, run,
    wait)

CONTROL_GROUPS = pathlib.Path("/sys/fs/cgroup")
MEBIBYTE = 1 << 20
HELD = "io.extensiond.test.held"
MEMORY, PROCESSES, WEIGHT = 64 * MEBIBYTE, 20, 50

# Each line of a host is an expression; the answer is its value.
PROGRAM = r'''
import signal
import time

kept, pressures, told = [], [], threading.Event()


def grow():
    """Until the system says that it is enough."""
    told.clear()
    while not told.is_set() and len(kept) < 200:
        kept.append(b"x" * (1 << 20))
        told.wait(0.3 if len(kept) > 40 else 0)
    return pressures[-1] if told.is_set() else None


def drop():
    kept.clear()
    return len(pressures)


def fork():
    made = 0
    while True:
        try:
            if os.fork() == 0:
                control.close()
                while True:
                    signal.pause()
            made += 1
        except OSError as error:
            return {"made": made, "errno": error.errno}


def hog(*ignored):
    """A child, not the program itself."""
    if os.fork() == 0:
        while True:
            kept.append(b"x" * (1 << 20))


def calls():
    """What the filter of system calls refuses, and what the mounts do."""
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    libc.unshare(0x10000000)
    try:
        open("/usr/x", "w")
    except OSError as error:
        return [ctypes.get_errno(), error.errno]


def greet(descriptor, scene):
    with socket.socket(fileno=descriptor) as connection, connection.makefile() as lines:
        for line in lines:
            connection.sendall(json.dumps(eval(line)).encode() + b"\n")


ordinary = take


def take(call):
    method, parameters = call["method"].rpartition(".")[2], call["parameters"]
    if method == "Start":
        answer({"answers": parameters["call"], "memoryPressure": True})
    elif method == "MemoryPressure":
        pressures.append([parameters["used"], parameters["limit"]])
        answer({"answers": parameters["call"]})
        told.set()
    else:
        ordinary(call)


signal.signal(signal.SIGUSR1, hog)
'''


def group(pid):
    """The directory of a process's control group."""
    return CONTROL_GROUPS / pathlib.Path(f"/proc/{pid}/cgroup").read_text().strip().removeprefix("0::/")


def read(directory, name):
    return (directory / name).read_text().strip()


def program(instance):
    """The extension itself, among the processes of its instance."""
    pids = read(group(instance["pid"]), "cgroup.procs").split()
    return next(int(pid) for pid in pids if read(pathlib.Path(f"/proc/{pid}"), "comm") == "main.py")


def usage(instance):
    return next(item for item in extctl("ps")["usages"] if item["instance"] == instance["id"])


def do(connection, line, seconds=DEADLINE):
    return json.loads(connection.say(line, seconds) or "null")


def check_held(name, instance):
    own = group(instance["pid"])
    found = {file: read(own, file) for file in ("memory.max", "memory.oom.group", "pids.max", "cpu.weight")}
    check(f"{name}: its control group has the limits of the bundle",
          found == {"memory.max": str(MEMORY), "memory.oom.group": "1", "pids.max": str(PROCESSES + 2),
                    "cpu.weight": str(WEIGHT)}, found)
    shown = usage(instance)
    check(f"{name}: ps tells them, and that they hold for all processes together",
          (shown["memoryLimit"], shown["memoryLimitHolds"], shown["processLimit"], shown["cpuWeight"])
          == (MEMORY, "instance", PROCESSES, WEIGHT), shown)


def check_sandbox(name, connection, instance):
    status = dict(line.split(":\t") for line in read(pathlib.Path(f"/proc/{program(instance)}"), "status").splitlines())
    check(f"{name}: the filter of system calls is on", (status["Seccomp"], status["NoNewPrivs"]) == ("2", "1"))
    refused = do(connection, "calls()")
    check(f"{name}: filter and mounts refuse", refused == [errno.EPERM, errno.EROFS], refused)


def check_pressure(name, connection):
    told = do(connection, "grow()", 120)
    check(f"{name}: memory pressure is told before the limit",
          isinstance(told, list) and MEMORY * 3 // 4 < told[0] < told[1] == MEMORY, told)


def restart_broker():
    old = main_pid(BROKER)
    kill(old)
    check("the broker comes back", wait(lambda: main_pid(BROKER) not in (0, old) and instances(HELD)))


def journal():
    return run("journalctl", "--user", "-q", "--no-pager", "-o", "cat")[1]


def test_limits():
    launcher = main_pid(LAUNCHER)
    install_extension(
        HELD, PROGRAM, {"Memory": "64M", "Processes": PROCESSES, "CPUWeight": WEIGHT, "OpenFiles": 100})
    limits = {item["name"]: item for item in extctl("show", HELD)["extensions"][0]["limits"]}
    check("show tells what holds each limit",
          {name: item["holds"] for name, item in limits.items()}
          == {"memory": "instance", "processes": "instance", "cpuWeight": "instance", "openFiles": "process",
              "fileSize": "process"}, limits)
    connection = Connection(HELD)
    first = do(connection, "1 + 1")
    check("it runs", first == 2, first)
    instance = instances(HELD)[0]
    check_held("at first", instance)
    check_sandbox("at first", connection, instance)
    made = do(connection, "fork()")
    check("a fork bomb ends at the limit", made["errno"] == errno.EAGAIN and made["made"] < PROCESSES, made)
    counted = usage(instance)["processes"]
    check("ps counts its helpers", counted == PROCESSES, counted)
    check_pressure("at first", connection)

    restart_broker()
    check("the broker's end is no end of it", do(connection, "2 + 2") == 4 and instances(HELD)[0]["id"] == instance["id"])
    check_held("after the broker's end", instance)
    check_sandbox("after the broker's end", connection, instance)
    made = do(connection, "fork()")
    check("no process more than before", made == {"made": 0, "errno": errno.EAGAIN}, made)
    do(connection, "drop()")
    check("ps sees the memory go", wait(lambda: usage(instance)["memory"] < MEMORY // 2), usage(instance))
    check_pressure("after the broker's end, and after less was used", connection)
    shown = usage(instance)
    check("ps tells the peak", shown["memory"] <= shown["memoryPeak"] <= MEMORY, shown)
    do(connection, "kept.extend(b'x' * (1 << 20) for _ in range(200)) or 1")
    check("past the limit it ends", connection.ends())
    text = wait(lambda: [line for line in journal().splitlines() if HELD in line and "used up its memory" in line])
    check("the restarted broker knows limit and peak", text and f"(limit {MEMORY} bytes, peak " in text[0], text)

    host = Activation(HELD)
    os.kill(program(instances(HELD)[0]), signal.SIGUSR1)
    reason = host.reason()
    check("a child that fills the memory ends all of it as outOfMemory, with both numbers",
          (reason.get("kind"), reason.get("limit")) == ("outOfMemory", MEMORY)
          and MEMORY * 3 // 4 < reason.get("peak", 0) <= MEMORY, reason)
    check("the launcher is the same", main_pid(LAUNCHER) == launcher)
    check("nothing of it is left", wait(lambda: not instances(HELD)))

#!/usr/bin/python3
"""The shipped units where control groups have controllers: Tests/Support/run-controllers-tests runs this in
user-mode-linux.

One line a check; the exit status is 0 if none failed.
"""
import errno
import json
import os
import signal

from limits import CONTROL_GROUPS, MEBIBYTE, group, program, read, test_limits
from scenes import KILLS, test_broker_ends, test_launcher_ends, test_start, test_stop, test_use
from support import (
    BROKER, LAUNCHER, Activation, Connection, check, drop_in, extctl, install_extension, instances, main_pid,
    remove_drop_in, report, show, wait)

HOG, STORM = "io.extensiond.test.hog", "io.extensiond.test.storm"

# When it is asked by SIGUSR1.
HOG_PROGRAM = r'''
import signal


def hog(number, frame):
    kept = []
    while True:
        kept.append(b"x" * (1 << 20))


signal.signal(signal.SIGUSR1, hog)
'''

STORM_PROGRAM = r'''
import time


def fork(first):
    """Every process that comes of it goes on forking; the first returns when it cannot."""
    count = 0
    while True:
        try:
            if os.fork() == 0:
                fork(first=False)
            count += 1
        except OSError as error:
            if first:
                return {"children": count, "errno": error.errno}
            time.sleep(0.1)


def greet(descriptor, scene):
    with socket.socket(fileno=descriptor) as connection, connection.makefile("rw") as lines:
        for name in lines:
            lines.write(json.dumps(fork(first=True)) + "\n")
            lines.flush()
'''


def launcher_group():
    return CONTROL_GROUPS / show(LAUNCHER, "ControlGroup").lstrip("/")


def test_groups(pid):
    own = launcher_group()
    enabled = set(read(own, "cgroup.subtree_control").split())
    check("the launcher enables the controllers for its instances", enabled == {"cpu", "memory", "pids"}, enabled)
    check("the launcher has gone to a group of its own", group(main_pid(LAUNCHER)) == own / "self")
    instance = group(pid)
    check("the instance's group is right below the launcher's",
          instance.parent == own and instance.name.startswith("i-"), instance)
    controllers = set(read(instance, "cgroup.controllers").split())
    check("the instance's group has the controllers", enabled <= controllers, controllers)
    # bubblewrap, extension-init, and the program.
    processes = read(instance, "cgroup.procs").split()
    check("all processes of the instance are in it, and no others",
          len(processes) == 3 and str(pid) in processes, processes)
    tasks, memory = int(read(instance, "pids.current")), int(read(instance, "memory.current"))
    check("its tasks are counted", tasks >= len(processes), tasks)
    check("its memory is counted", memory > MEBIBYTE, memory)


def others_live(name, connection, pid, before):
    """The daemons and the first extension are as they were."""
    check(f"{name}: broker and launcher are the same", (main_pid(BROKER), main_pid(LAUNCHER)) == before)
    greeting = connection.say("Ada")
    check(f"{name}: the other extension does not notice", [item["pid"] for item in instances()] == [pid]
          and greeting == "Greetings from Python, Ada!", greeting)
    groups = wait(lambda: [item.name for item in launcher_group().glob("i-*")])
    check(f"{name}: its group is gone", wait(lambda: len(list(launcher_group().glob("i-*"))) == 1), groups)


def test_memory(connection, pid):
    before = main_pid(BROKER), main_pid(LAUNCHER)
    install_extension(HOG, HOG_PROGRAM)
    drop_in(LAUNCHER, "MemoryMax=128M")
    limit = int(read(launcher_group(), "memory.max"))
    check("the limit of the launcher's unit holds while it runs", limit == 128 * MEBIBYTE, limit)
    host = Activation(HOG)
    check("the hog runs", host.state == "activated", host.state)
    os.kill(program(instances(HOG)[0]), signal.SIGUSR1)
    reason = host.reason()
    check("out of memory: the host is told", reason.get("kind") == "outOfMemory", reason)
    check("out of memory: the limit is told", reason.get("limit") == limit, reason)
    check("out of memory: the peak is told", limit / 2 < reason.get("peak", 0) <= limit, reason)
    others_live("out of memory", connection, pid, before)
    remove_drop_in(LAUNCHER)


def test_tasks(connection, pid):
    before = main_pid(BROKER), main_pid(LAUNCHER)
    install_extension(STORM, STORM_PROGRAM)
    drop_in(LAUNCHER, "TasksMax=40")
    storm = Connection(STORM)
    answer = json.loads(storm.say("go on") or "{}")
    check("a fork storm reaches the limit", answer.get("errno") == errno.EAGAIN and answer["children"] < 40, answer)
    tasks = int(read(launcher_group(), "pids.current"))
    check("a fork storm does not pass the limit", tasks <= 40, tasks)
    refused = extctl("activate", HOG).get("error", {}).get("parameters", {}).get("reason", {})
    check("a fork storm: a start is refused with the kernel's error", refused.get("kind") == "startFailed"
          and refused.get("errno") == errno.EAGAIN, refused)
    check("a fork storm can be stopped", extctl("stop", STORM).get("ended") == 1)
    check("a fork storm: its connection ends", storm.ends())
    others_live("a fork storm", connection, pid, before)
    host = Activation(HOG)
    check("a fork storm: the next activation works", host.state == "activated", host.state)
    host.close()
    remove_drop_in(LAUNCHER)


def main():
    test_start()
    connection, pid = test_use()
    test_groups(pid)
    test_memory(connection, pid)
    test_tasks(connection, pid)
    test_limits()
    test_broker_ends(connection, pid, KILLS[:1])
    connection = test_launcher_ends(connection, pid)
    test_groups(instances()[0]["pid"])
    test_stop(connection)


report(main)

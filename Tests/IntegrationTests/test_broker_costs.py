"""What a connection takes of the broker, and a change of each monitor: instructions, allocations, system calls. Counts, not
times: they are the same on every machine, and whoever adds to them learns it here."""

import collections
import os
import re
import shutil
import subprocess
import unittest

from test_call_costs import counted_by_callgrind
from test_reading_costs import WITHOUT_OPENAT2
from world import BUILD, World

COUNT = 200
MONITORS = 40
# Of a connection: the loop's two calls for the host's call and for the extension's answer, a message to each, the next pair
# of sockets, and the two ends that were given away. The C program that the benchmark compares with makes seven.
CONNECTION = {"epoll_wait": 2, "recvmsg": 2, "sendmsg": 2, "socketpair": 1, "close": 2}
# The most that they may take of a debug build, which is what is tested. Instructions have a twentieth to spare.
Costs = collections.namedtuple("Costs", "instructions allocations")
MOST_OF_A_CONNECTION, MOST_OF_A_MONITOR = Costs(312_500, 84), Costs(81_000, 21.5)
MOST_OF_AN_IDLE_ONE = 1500


class BrokerCosts(World):
    """What is counted, however it is counted."""

    def begin(self):
        """A host with an activation; the extension lets its connections go as they come."""
        self.caller = self.host()
        self.activation, *_ = self.activate(self.caller)

    def open(self, count):
        for _ in range(count):
            self.caller.call("Connect", activation=self.activation)
            self.caller.take().close()

    def begin_watching(self):
        self.monitors = [self.subscribe() for _ in range(MONITORS)]
        for monitor in self.monitors:
            monitor.receive()

    def change(self, count):
        """Two changes, each of which all monitors have when the next one is made."""
        for _ in range(count):
            self.ask("Disable", extension="org.example.Ext")
            self.hear()
            self.approve("org.example.Ext")
            self.hear()

    def hear(self):
        for monitor in self.monitors:
            self.assertIn("change", monitor.receive())

    def ready(self):
        return super().ready(body="def accept(p):\n    os.close(fds.pop(0))\n    answer({'answers': p['call']})")


@unittest.skipUnless(shutil.which("strace"), "no strace")
class SystemCallTests(BrokerCosts):
    def traced(self, work):
        """How often the broker makes which call meanwhile."""
        out = self.place / "calls"
        tracer = subprocess.Popen(
            ["strace", "-f", "-o", out, "-p", str(self.broker.pid)], stderr=subprocess.PIPE, text=True)
        try:
            self.assertIn("attached", tracer.stderr.readline())
            work()
        finally:
            tracer.terminate()
            tracer.communicate()
        return collections.Counter(re.findall(r"^\d+ +(\w+)\(", out.read_text(), re.M))

    def test_a_connection_takes_so_many_system_calls_and_no_more(self):
        self.ready()
        self.begin()
        self.open(10)
        calls = self.traced(lambda: self.open(COUNT))
        # What the broker does beside, by and by, is less than one for ten connections.
        often = {name: round(number / COUNT, 1) for name, number in calls.items() if number >= COUNT / 10}
        self.assertEqual(often, CONNECTION)

    def test_a_change_is_one_message_to_each_monitor_and_nothing_more(self):
        self.ready()
        self.begin_watching()
        self.change(1)
        few, many = self.traced(lambda: self.change(1)), self.traced(lambda: self.change(6))
        calls = collections.Counter(
            {name: (number - few[name]) / (10 * MONITORS) for name, number in many.items()})
        self.assertEqual(round(calls["sendto"], 1), 1, calls)
        # Whatever is done once for all is little for each: the store alone takes some forty calls a change.
        self.assertLess(calls["epoll_ctl"] + calls["epoll_wait"] + calls["recvmsg"], 0.5, calls)


@unittest.skipUnless(BUILD.name == "debug", "the bounds are those of a debug build")
@unittest.skipUnless(os.uname().machine == "x86_64", "the stand-in for openat2 is written for x86-64")
@unittest.skipUnless(shutil.which("valgrind") and shutil.which("gcc"), "no valgrind, or no gcc")
class InstructionTests(BrokerCosts):
    counts = False

    def setUp(self):
        super().setUp()
        # The programs beside it are looked for beside it.
        programs = self.place / "programs"
        programs.mkdir()
        for path in BUILD.glob("ext*"):
            if path.is_file() and path.name != "extensiond":
                (programs / path.name).symlink_to(path)
        # valgrind would read what is for debuggers, which takes it longer than all else.
        self.program = programs / "extensiond"
        subprocess.run(["objcopy", "--strip-debug", BUILD / "extensiond", self.program], check=True)
        library = self.place / "without-openat2.so"
        subprocess.run(
            ["gcc", "-shared", "-fPIC", "-o", library, "-x", "c", "-"], input=WITHOUT_OPENAT2.encode(), check=True)
        self.env["LD_PRELOAD"] = str(library)
        self.profile = self.place / "profile"

    def broker_command(self):
        if not self.counts:
            return super().broker_command()
        return ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={self.profile}", self.program]

    def counted(self, begin, work, count):
        """Instructions and allocations of a broker for so much work."""
        self.start_broker()
        # So slow is it there that the broker may answer before it has read what there is.
        self.wait_state(self.root / "Ext.appex", "enabled")
        begin()
        work(2)
        # What came before depends on how often it was asked for, and what comes after on how many there are.
        self.control("-z")
        work(count)
        self.control("-i", "off")
        self.close_clients()
        self.clients = []
        self.stop_broker()
        return counted_by_callgrind(self.profile)

    def control(self, *what):
        done = subprocess.run(
            ["callgrind_control", *what, str(self.broker.pid)], capture_output=True, text=True, timeout=60)
        self.assertIn("OK", done.stdout, done.stderr)

    def check(self, begin, work, count, each, most):
        self.ready()
        self.stop_broker()
        self.counts = True
        few, many = self.counted(begin, work, count), self.counted(begin, work, 2 * count)
        found = Costs(*((more - less) / (count * each) for less, more in zip(few, many)))
        costs = f"{found.instructions:.0f} instructions, {found.allocations:.2f} allocations"
        if "EXTENSIOND_PRINT_COSTS" in os.environ:
            print(f"{self.id()}: {costs}")
        self.assertLess(found.allocations, most.allocations + 0.4, costs)
        self.assertLess(found.instructions, most.instructions * 1.05, costs)

    def test_a_connection_stays_as_cheap_as_it_is(self):
        self.check(self.begin, self.open, COUNT, 1, MOST_OF_A_CONNECTION)

    def test_a_change_stays_as_cheap_for_each_monitor_as_it_is(self):
        self.check(self.begin_watching, self.change, 5, 2 * MONITORS, MOST_OF_A_MONITOR)

    def test_connections_that_hear_nothing_cost_nothing_when_something_happens(self):
        """Two entries of the journal a change, and whoever looks at all connections for each of them shows here."""
        self.ready()
        self.stop_broker()
        self.counts = True

        def change(count):
            for _ in range(count):
                self.ask("Disable", extension="org.example.Ext")
                self.approve("org.example.Ext")

        few, many = (
            self.counted(lambda: [self.host() for _ in range(idle)], change, 8)[0] for idle in (1, 49))
        found = (many - few) / (2 * 8 * 48)
        if "EXTENSIOND_PRINT_COSTS" in os.environ:
            print(f"{self.id()}: {found:.0f} instructions")
        self.assertLess(found, MOST_OF_AN_IDLE_ONE)


if __name__ == "__main__":
    unittest.main()

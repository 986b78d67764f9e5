"""What a typed call takes of its process: instructions, allocations and system calls, by themselves. Counts, not times:
they are the same on every machine, and whoever adds to them learns it here."""

import collections
import os
import re
import shutil
import socket
import subprocess
import tempfile
import unittest

BUILD = os.environ["EXTENSIOND_BUILD"]
TEXT = b'"text":"' + b"x" * 100 + b'"'
CALL = b'{"method":"io.extensiond.bench.Echo.Echo","parameters":{' + TEXT + b"}}\0"
REPLY = b'{"parameters":{' + TEXT + b"}}\0"
CALLS = 500
ALLOCATORS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"}

# The most that a call may take of a debug build, which is what is tested. Instructions have a twentieth to spare: they vary by a quarter of a percent. docs/speed.md has their history.
Costs = collections.namedtuple("Costs", "instructions allocations system_calls")
MOST = {"--call": Costs(112_300, 21, 3), "--serve": Costs(143_200, 37, 3)}


def counted_by_callgrind(path):
    """Instructions and allocations of what ran under it."""
    names, total, allocations, called = {}, 0, 0, None
    with open(path) as lines:
        for line in lines:
            if match := re.match(r"c?fn=\((\d+)\)(?: (.*))?", line):
                if match[2]:
                    names[match[1]] = match[2]
                called = names[match[1]] if line[0] == "c" else None
            elif line.startswith("calls=") and called in ALLOCATORS:
                allocations += int(line[6:].split()[0])
            elif match := re.match(r"(?:summary|totals): (\d+)", line):
                total = int(match[1])
    return total, allocations


def converse(connection, role, count):
    """The peer of a program that calls so many times, or is called."""
    if role == "--call":
        while data := connection.recv(65536):
            connection.sendall(REPLY * data.count(b"\0"))
        return
    for _ in range(count):
        connection.sendall(CALL)
        answer = b""
        while not answer.endswith(b"\0"):
            part = connection.recv(65536)
            if not part:
                raise AssertionError("the program ended before it answered")
            answer += part
        if answer != REPLY:
            raise AssertionError(answer)


@unittest.skipUnless(os.path.basename(os.path.realpath(BUILD)) == "debug", "the bounds are those of a debug build")
class CallCostTests(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="extensiond-costs.")
        self.addCleanup(shutil.rmtree, self.place)
        self.program = self.place + "/extension-bench"
        # valgrind would read what is for debuggers, which takes it longer than all else.
        subprocess.run(["objcopy", "--strip-debug", BUILD + "/extension-bench", self.program], check=True)

    def run_under(self, tool, role, count):
        own, its = socket.socketpair()
        own.settimeout(120)
        arguments = [role] + ([str(count)] if role == "--call" else [])
        number = its.fileno()
        child = subprocess.Popen(
            # Its socket is descriptor 3 of the tool, and of the program.
            ["sh", "-c", f'exec "$@" 3<&{number} {number}<&-' if number != 3 else 'exec "$@"', "sh",
             *tool, self.program, *arguments],
            pass_fds=[number], stderr=subprocess.PIPE)
        its.close()
        try:
            with own:
                converse(own, role, count)
            errors = child.communicate(timeout=120)[1].decode()
        except BaseException:
            child.kill()
            child.communicate()
            raise
        self.assertEqual(child.returncode, 0, errors)

    def difference(self, measure):
        """What one call takes: starting and ending take the same, however many there are between."""
        once, twice = measure(CALLS), measure(2 * CALLS)
        return [(more - less) / CALLS for less, more in zip(once, twice)]

    def counted(self, role, count):
        """Instructions and allocations of a run."""
        out = f"{self.place}/{role}.{count}"
        self.run_under(["valgrind", "-q", "--tool=callgrind", "--fair-sched=yes", f"--callgrind-out-file={out}"], role, count)
        return counted_by_callgrind(out)

    def system_calls(self, role, count):
        out = f"{self.place}/{role}.{count}.strace"
        self.run_under(["strace", "-f", "-qq", "-o", out], role, count)
        with open(out) as lines:
            return (sum("resumed>" not in line and "+++" not in line and "---" not in line for line in lines),)

    def check(self, role):
        most = MOST[role]
        instructions, allocations = self.difference(lambda count: self.counted(role, count))
        (system_calls,) = self.difference(lambda count: self.system_calls(role, count))
        costs = f"{instructions:.0f} instructions, {allocations:.2f} allocations, {system_calls:.2f} system calls a call"
        if "EXTENSIOND_PRINT_COSTS" in os.environ:
            print(f"{role}: {costs}")
        # Less than half of one: what a run takes for itself varies by a few.
        self.assertLess(system_calls, most.system_calls + 0.4, costs)
        self.assertLess(allocations, most.allocations + 0.4, costs)
        self.assertLess(instructions, most.instructions * 1.05, costs)

    def test_a_call_stays_as_cheap_as_it_is_for_who_makes_it(self):
        self.check("--call")

    def test_a_call_stays_as_cheap_as_it_is_for_who_answers_it(self):
        self.check("--serve")


if __name__ == "__main__":
    unittest.main()

"""What an extension may use, where no control group holds it: limits of its processes. With control groups:
Tests/SystemdTests/controllers_test.py."""
import json
import os
import plistlib
import unittest

from world import World, until

MEBIBYTE = 1 << 20
IDENTIFIER = "org.example.Ext"

# Answers each line with what came of it.
TRIES = '''
import ctypes, mmap, resource
def take(bytes):
    kept.append(mmap.mmap(-1, bytes, flags=mmap.MAP_PRIVATE))
kept = []
def forks(most):
    made = 0
    try:
        for _ in range(most):
            if os.fork() == 0:
                control.close()
                while True: time.sleep(1000)
            made += 1
    except OSError as error:
        return {"made": made, "errno": error.errno}
    return {"made": made}
def files(most):
    try:
        for _ in range(most): kept.append(open("/dev/null"))
    except OSError as error:
        return {"errno": error.errno}
    return {}
def write(size):
    with open(os.environ["HOME"] + "/large", "wb") as file: file.truncate(size)
def work():
    end = time.process_time() + 0.3
    while time.process_time() < end: pass
def echo(fd):
    with socket.socket(fileno=fd) as s, s.makefile("r") as lines:
        for line in lines:
            try: answer = eval(line)
            except OSError as error: answer = {"errno": error.errno}
            s.sendall(json.dumps(answer).encode() + b"\\n")
'''


class Limits(World):
    def use(self, **limits):
        self.ready(body=TRIES, info={"Extensiond": {"Limits": limits}} if limits else None)
        _, self.lease, self.connection = self.activate(self.host(), connect=True)
        self.addCleanup(self.connection.close)
        self.lines = self.connection.makefile("rw")
        self.addCleanup(self.lines.close)

    def do(self, line):
        self.lines.write(line + "\n")
        self.lines.flush()
        return json.loads(self.lines.readline())

    def usage(self):
        (usage,) = json.loads(self.extctl("ps", "--json").stdout)["usages"]
        return usage

    def test_memory_ends_at_the_limit_of_the_bundle(self):
        self.use(Memory="256M")
        self.assertIsNone(self.do(f"take({64 * MEBIBYTE})"))
        self.assertEqual(self.do(f"take({256 * MEBIBYTE})"), {"errno": 12})
        # It is told, and lives on.
        self.assertIsNone(self.do(f"take({64 * MEBIBYTE})"))
        usage = self.usage()
        self.assertEqual((usage["memoryLimit"], usage["memoryLimitHolds"]), (256 * MEBIBYTE, "process"))

    def test_who_says_nothing_has_limits_too(self):
        self.use()
        self.assertEqual(self.do(f"take({3 << 30})"), {"errno": 12})
        self.assertEqual(self.do(f"write({3 << 30})") if self.ignores_size() else {"errno": 27}, {"errno": 27})
        self.assertEqual(self.do("files(5000)"), {"errno": 24})
        shown = self.listed(IDENTIFIER)[0]["limits"]
        self.assertEqual(
            {limit["name"]: limit["value"] for limit in shown},
            {"memory": 2 << 30, "processes": 256, "openFiles": 4096, "fileSize": 2 << 30})

    def ignores_size(self):
        """Else SIGXFSZ would end it; Python ignores that signal by itself."""
        return self.do("__import__('signal').getsignal(25) == 1")

    def test_a_file_that_is_too_large_ends_it_with_a_word(self):
        self.use(FileSize="64K")
        self.do("ctypes.CDLL(None).signal(25, None)")
        self.lines.write("write(100_000)\n")
        self.lines.flush()
        self.assertEqual(self.lines.readline(), "")
        until(lambda: "larger than it may be" in self.extctl("explain", IDENTIFIER).stdout
              or "larger than it may be" in self.log_text(), "the reason")

    def test_approving_shows_what_the_bundle_asks_for(self):
        self.put(self.make_host())
        self.put(self.make_bundle(info={"Extensiond": {"Limits": {"Memory": "3G"}}}))
        self.start_broker()
        shown = self.extctl("approve", "--yes", IDENTIFIER).stdout
        self.assertIn("memory 3072 MiB", shown)
        self.assertNotIn("open files", shown)
        self.assertIn("4096 open files", self.extctl("show", IDENTIFIER).stdout)

    def test_open_files(self):
        self.use(OpenFiles=64)
        self.assertEqual(self.do("files(100)"), {"errno": 24})
        self.assertEqual(self.usage()["openFileLimit"], 64)

    def test_more_open_files_can_be_had_by_asking(self):
        self.use(OpenFiles=2048)
        # select(2) ends at 1024, so a program has to say that it can do with more.
        self.assertEqual(self.do("resource.getrlimit(resource.RLIMIT_NOFILE)"), [1024, 2048])

    @unittest.skipIf(os.getuid() == 0, "the kernel lets root's number start as many processes as it likes")
    def test_a_fork_bomb_ends_in_its_sandbox(self):
        self.use(Processes=20)
        # Itself and its thread are two of them.
        self.assertEqual(self.do("forks(100)"), {"made": 18, "errno": 11})
        usage = self.usage()
        self.assertEqual((usage["processes"], usage["processLimit"]), (20, 20))
        # Another process of the same user notices nothing.
        self.assertEqual(self.extctl("stop", IDENTIFIER).returncode, 0)

    @unittest.skipIf(os.getuid() == 0, "as above")
    def test_what_the_person_may_start_is_no_limit_of_an_extension_without_a_sandbox(self):
        self.put(self.make_host())
        bundle = self.make_bundle(info={"Extensiond": {"Limits": {"Processes": 20}}})
        (bundle / "Entitlements.plist").write_bytes(plistlib.dumps({"none": True}))
        self.put(bundle)
        self.start_broker()
        self.approve(IDENTIFIER)
        self.activate(self.host())
        self.assertNotIn("processLimit", self.usage())
        self.assertEqual(self.usage()["openFileLimit"], 4096)

    @unittest.skipUnless(os.getuid() == 0, "for root")
    def test_what_does_not_hold_is_shown_as_such(self):
        self.use(Processes=20)
        self.assertIn("20 processes (not enforced", self.extctl("show", IDENTIFIER).stdout)
        self.assertNotIn("processLimit", self.usage())
        self.assertRegex(self.extctl("ps").stdout, r"  2/- ")

    def test_a_weight_needs_a_controller(self):
        self.use(CPUWeight=50)
        self.assertIn("CPU weight 50 (not enforced", self.extctl("explain", IDENTIFIER).stdout)

    def test_ps_counts_helpers_and_what_they_use(self):
        self.use(Memory="512M")
        before = self.usage()
        self.assertEqual(self.do("forks(3)"), {"made": 3})
        self.assertIsNone(self.do(f"take({32 * MEBIBYTE})"))
        self.assertEqual(self.do(f"kept[-1].write(b'x' * {32 * MEBIBYTE})"), 32 * MEBIBYTE)
        self.assertIsNone(self.do("work()"))
        after = self.usage()
        self.assertEqual((before["processes"], after["processes"]), (2, 5))
        self.assertGreater(after["memory"] - before["memory"], 30 * MEBIBYTE)
        self.assertGreater(after["cpuTime"] - before["cpuTime"], 200_000)
        self.assertRegex(self.extctl("ps").stdout, r" \d+M/512M each +\d+\.\d\ds +5/")

    def test_after_a_restart_of_the_broker_limits_hold_and_are_shown(self):
        self.use(Memory="256M")
        self.kill_broker()
        self.start_broker()
        until(lambda: self.ask("ListInstances")["instances"], "the instance")
        self.assertEqual(self.usage()["memoryLimit"], 256 * MEBIBYTE)
        self.assertEqual(self.do(f"take({256 * MEBIBYTE})"), {"errno": 12})

    def test_what_a_bundle_may_say(self):
        bundle = self.make_bundle(info={"Extensiond": {"Limits": {
            "Memory": "lots", "Processes": 0, "CPUWeight": 10_001, "OpenFiles": 1.5, "FileSize": True, "Disk": 1}}})
        lint = self.extctl("lint", bundle)
        self.assertEqual(lint.returncode, 1)
        for text in ("Memory in Limits in Extensiond in Info.plist must be from 16M to 128T",
                     "Processes in Limits in Extensiond in Info.plist must be a whole number from 1 to 32768",
                     "CPUWeight in Limits", "OpenFiles in Limits", "FileSize in Limits", "“Disk” means nothing in Limits"):
            self.assertIn(text, lint.stdout)
        good = self.make_bundle("org.example.Good", info={"Extensiond": {"Limits": {"Memory": 32 * MEBIBYTE}}})
        self.assertIn("held to memory 32 MiB", self.extctl("lint", good).stdout)


if __name__ == "__main__":
    unittest.main()

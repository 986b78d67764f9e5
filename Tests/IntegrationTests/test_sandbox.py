"""The sandbox as the kernel has it, and what an extension may store."""
import json
import pathlib
import re
import shutil
import signal
import subprocess
import unittest

from world import VarlinkError, World, until


class Sandbox(World):
    def shown(self):
        return json.loads(self.extctl("show", "--json", "org.example.Ext").stdout)["sandboxes"]

    def test_show_tells_what_holds(self):
        self.ready()
        self.assertEqual(self.shown(), [])
        with self.assertRaises(VarlinkError) as caught:
            self.ask("Inspect", instance="org.example.Ext")
        self.assertEqual(caught.exception.name, "InstanceNotFound")
        self.activate(self.host())
        (sandbox,) = self.shown()
        self.assertEqual(sandbox["unreadable"], [])
        # The program itself, not bwrap.
        self.assertIn(b"main.py", pathlib.Path(f"/proc/{sandbox['pid']}/cmdline").read_bytes())
        status = {fact["name"]: fact["value"] for fact in sandbox["status"]}
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"], status["CapBnd"]), ("1", "2", "0" * 16))
        spaces = {space["name"]: space["own"] for space in sandbox["nameSpaces"]}
        self.assertEqual(
            {name: own for name, own in spaces.items() if name != "time"},
            dict.fromkeys(("cgroup", "ipc", "mnt", "net", "pid", "user", "uts"), True))
        self.assertFalse(spaces.get("time", False))
        mounts = {mount["path"]: mount for mount in sandbox["mounts"]}
        writable = {path for path, mount in mounts.items() if not mount["readOnly"] and not path.startswith("/dev/")}
        self.assertEqual(writable, {"/proc", "/tmp", "/run", "/home/extension"})
        self.assertEqual((mounts["/tmp"]["fileSystem"], mounts["/tmp"]["size"]), ("tmpfs", 512 << 20))
        self.assertEqual((mounts["/run"]["size"], mounts["/dev/shm"]["size"]), (64 << 20, 256 << 20))
        self.assertTrue(mounts["/extension"]["readOnly"])
        limits = {fact["name"]: fact["value"] for fact in sandbox["resourceLimits"]}
        self.assertIn("1024", limits["Max open files"])
        self.assertIsInstance(sandbox["landlock"], int)
        text = self.extctl("show", "org.example.Ext").stdout
        self.assertRegex(text, r"\nNoNewPrivs 1|status +.*|  NoNewPrivs 1\n")
        self.assertIn("rw tmpfs    /tmp, 536870912 bytes", text)
        self.assertIn("own spaces", text)

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_a_launch_waits_for_no_process_that_it_could_do_without(self):
        self.ready()
        launcher, trace = self.launcher(), self.place / "trace"
        strace = subprocess.Popen(
            ["strace", "-f", "-qq", "-e", "trace=execve,clone,clone3,fork,vfork", "-o", trace, "-p", str(launcher)],
            stderr=subprocess.DEVNULL)
        try:
            until(
                lambda: "TracerPid:\t0\n" not in pathlib.Path(f"/proc/{launcher}/status").read_text(),
                "strace's beginning")
            self.activate(self.host())
        finally:
            strace.send_signal(signal.SIGINT)
            strace.wait()
        calls = re.findall(r'^\d+ +(?:execve\("([^"]*)"|(?:clone3?|v?fork)\()(.*)', trace.read_text(), re.MULTILINE)
        # One that does not share the memory of its parent until its exec has a copy.
        names = [path or ("process" if "VFORK" in rest else "copy") for path, rest in calls]
        # bwrap, the first process of its sandbox, and the program.
        self.assertEqual(
            names[:names.index("/extension/main.py") + 1],
            ["process", "/usr/bin/bwrap", "copy", "/.extension-init", "process", "/extension/main.py"])

    def test_what_was_changed_afterwards_is_told(self):
        # A program may give up more than was asked of it.
        self.ready(body="import resource; resource.setrlimit(resource.RLIMIT_NPROC, (4711, 4711))")
        self.activate(self.host())
        limits = {fact["name"]: fact["value"] for fact in self.shown()[0]["resourceLimits"]}
        self.assertEqual(limits["Max processes"], "4711")

    def test_after_a_restart_of_the_broker_it_is_told_too(self):
        self.ready()
        lease = self.activate(self.host())
        self.kill_broker()
        self.start_broker()
        until(lambda: self.shown(), "the instance")
        self.assertEqual(len(self.shown()), 1)
        del lease

    def test_a_kill_by_the_filter_is_told_as_one(self):
        # getppid of x32.
        self.ready(body="import ctypes; ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 + 110))")
        with self.assertRaises(VarlinkError) as caught:
            self.activate(self.host())
        self.assertEqual(caught.exception.parameters["reason"]["signal"], 31)
        self.assertIn("filter of system calls", caught.exception.parameters["message"])
        self.assertIn("filter of system calls", self.extctl("explain", "org.example.Ext").stdout)

    @unittest.skipUnless(shutil.which("gcc"), "no gcc")
    def test_without_a_filter_nothing_is_started(self):
        source = self.place / "broken.c"
        source.write_text("void *seccomp_init(unsigned int action) { (void)action; return 0; }")
        library = self.place / "broken.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
        self.put(self.make_host())
        self.put(self.make_bundle())
        self.start_broker(LD_PRELOAD=str(library))
        self.approve("org.example.Ext")
        with self.assertRaises(VarlinkError) as caught:
            self.activate(self.host())
        self.assertEqual(caught.exception.parameters["reason"]["kind"], "sandboxFailed")
        self.assertIn("system calls cannot be filtered", caught.exception.parameters["message"])
        self.assertEqual(self.ask("ListInstances")["instances"], [])


WRITES = """
import os, threading, time
def fill():
    while not os.path.exists(os.environ["HOME"] + "/go"): time.sleep(0.01)
    os.makedirs(os.environ["HOME"] + "/deep/er", exist_ok=True)
    with open(os.environ["HOME"] + "/deep/er/file", "wb") as file: file.write(bytes(%d))
threading.Timer(0, fill).start()
"""


class Container(World):
    environment = {"EXTENSIOND_CONTAINER_BYTES": str(1 << 20), "EXTENSIOND_CONTAINER_MS": "50"}

    @property
    def container(self):
        return self.home / ".local/share/extensiond-containers/org.example.Ext"

    def activated(self, identifier="org.example.Ext"):
        """One that writes as soon as it is in use."""
        _, lease, _ = self.activate(self.host(), identifier)
        (self.container.parent / identifier / "go").touch()
        return lease

    def test_one_that_stores_too_much_is_ended_and_not_started_until_there_is_room(self):
        self.ready(body=WRITES % (2 << 20))
        lease = self.activated()
        # Its end.
        self.assertEqual(lease.recv(1), b"")
        with self.assertRaises(VarlinkError) as caught:
            self.activate(self.host())
        reason = caught.exception.parameters["reason"]
        self.assertEqual((reason["kind"], reason["rule"], reason["limit"]), ("policy", "containerSize", 1 << 20))
        self.assertIn(str(self.container), caught.exception.parameters["message"])
        self.assertIn("holds more than", self.extctl("logs", "org.example.Ext").stdout)
        self.assertIn("stored too much", self.extctl("explain", "org.example.Ext").stdout)
        shutil.rmtree(self.container)
        # Not a crash: it rests for nothing.
        self.assertEqual(self.listed("org.example.Ext")[0].get("quarantinedUntil"), None)
        self.activate(self.host())

    def test_what_has_a_name_of_any_bytes_counts(self):
        self.ready(body=WRITES.replace("/deep/er", "/deep\\udcff/er") % (2 << 20))
        lease = self.activated()
        self.assertEqual(lease.recv(1), b"")

    def test_a_word_comes_before_the_end(self):
        self.ready(body=WRITES % (900 << 10))
        lease = self.activated()
        until(lambda: "past that it is ended" in self.extctl("logs", "org.example.Ext").stdout, "the warning")
        self.assertEqual(len(self.ask("ListInstances")["instances"]), 1)
        del lease

    def test_what_cannot_be_looked_into_counts(self):
        # Root could look into one that has no permissions; nobody is made to go this deep.
        self.ready(body=WRITES.replace("/deep/er", "/deep" * 200) % 1)
        lease = self.activated()
        self.assertEqual(lease.recv(1), b"")

    def test_links_and_holes_are_not_counted_twice(self):
        self.put(self.make_bundle("org.example.Other", body=WRITES % (2 << 20)))
        self.ready(
            body="""
import os
home = os.environ["HOME"]
with open(home + "/file", "wb") as file: file.write(bytes(300 << 10))
for n in range(9): os.link(home + "/file", home + "/link%d" % n)
with open(home + "/hole", "wb") as file: file.truncate(1 << 30)
os.symlink("/usr", home + "/usr")
""")
        self.approve("org.example.Other")
        host = self.host()
        _, first, _ = self.activate(host)
        # The other one's container is looked at later, and it is ended.
        second = self.activated("org.example.Other")
        self.assertEqual(second.recv(1), b"")
        until(
            lambda: [i["extension"] for i in self.ask("ListInstances")["instances"]] == ["org.example.Ext"],
            "the other one's end")
        del first


if __name__ == "__main__":
    unittest.main()

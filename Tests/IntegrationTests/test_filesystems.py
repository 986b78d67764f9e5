"""File systems that tell of no changes, and one that does not answer."""

import os
import pathlib
import select
import shutil
import subprocess
import sys
import time
import unittest

from world import DEADLINE, VarlinkError, World, until


# A peer that says that it is there, and connects when it is told to.
PEER = """
import socket, sys
print("ready", flush=True)
sys.stdin.readline()
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(b'{"method":"io.extensiond.Broker.Hello","parameters":{"hostIdentifier":"org.example.Host"}}\\0')
print(s.recv(65536).rstrip(b"\\0").decode(), flush=True)
"""


def missing():
    """Why no file system in user space can be mounted here; None where it can."""
    if os.getuid() != 0:
        return "only root can mount"
    if not os.path.exists("/dev/fuse"):
        return "there is no /dev/fuse"
    return None


class FileSystems(World):
    def mount(self, source, target):
        """A FUSE mount: what is changed in `source` is seen in `target`, but nobody is told there."""
        for directory in (source, target):
            directory.mkdir(parents=True)
        reason = missing() or (None if shutil.which("bindfs") else "bindfs is not installed")
        if not reason:
            done = subprocess.run(["bindfs", source, target], capture_output=True, text=True, timeout=DEADLINE)
            reason = done.returncode and f"bindfs cannot mount: {done.stderr.strip()}"
        self.skip_for(reason)
        # Lazily: it must be gone before its directory is removed, whoever still has it open.
        self.addCleanup(subprocess.run, ["umount", "--lazy", target], check=True, timeout=DEADLINE)

    def skip_for(self, reason):
        if reason:
            print(f"\nskipped: {self.id()}: {reason}", flush=True)
            raise unittest.SkipTest(reason)

    def hanging(self, directory=None):
        """A file system that will not answer, and where it is mounted."""
        self.skip_for(missing())
        directory = directory or self.place / "mount"
        directory.mkdir(parents=True)
        script = pathlib.Path(__file__).with_name("hanging_filesystem.py")
        system = self.started(
            sys.executable, script, directory, pathlib.Path(sys.executable).resolve(), says="mounted")
        self.addCleanup(self.unmount, directory)
        # First, so that whoever waits for it waits no more, and can end.
        self.addCleanup(system.kill)
        return system, directory

    @staticmethod
    def unmount(directory):
        # Asking the mount itself says nothing where it is dead.
        if f" {directory} " in pathlib.Path("/proc/mounts").read_text():
            subprocess.run(["umount", "--lazy", directory], check=True, timeout=DEADLINE)

    def hang(self, system):
        self.tell(system, "hang")
        self.assertEqual(self.line_of(system), "hangs")

    def started(self, *command, says, environment=None):
        """A process of which one line is expected, and that ends with the test."""
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, DEADLINE)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.kill)
        self.assertEqual(self.line_of(process), says)
        return process

    def line_of(self, process):
        ready, _, _ = select.select([process.stdout], [], [], DEADLINE)
        self.assertTrue(ready, f"{process.args[0]} says nothing")
        return process.stdout.readline().rstrip("\n")

    @staticmethod
    def tell(process, line=""):
        process.stdin.write(line + "\n")
        process.stdin.flush()

    def bytes_read(self):
        lines = pathlib.Path(f"/proc/{self.broker.pid}/io").read_text().splitlines()
        return int(lines[0].removeprefix("rchar: "))

    def test_a_root_that_tells_of_no_changes_is_looked_at_again_and_again(self):
        source = self.place / "source"
        self.mount(source, self.root)
        large = self.make_bundle("org.example.Large")
        (large / "large").write_bytes(bytes(4 << 20))
        self.put(large, root=source)
        self.start_broker()
        for _ in range(5):
            self.ask("Rescan", wait=True)
        before, asked = self.bytes_read(), time.monotonic()
        states = {root["path"]: root["state"] for root in self.ask("Status")["roots"]}
        self.assertEqual(states[str(self.root)], "polled")
        lines = [line.split() for line in self.extctl("status").stdout.splitlines()]
        self.assertIn(["polled", "1", str(self.root)], lines)
        self.put(self.make_bundle(), root=source)
        self.wait_state(self.root / "Ext.appex", "unapproved")
        # By then each of those who asked would have had a look. It is read whole: nothing but the content tells here
        # whether it changed.
        until(lambda: time.monotonic() > asked + 11, "the time of the next look")
        looks = 1 + (time.monotonic() - asked) // 10
        self.assertLess(self.bytes_read() - before, looks * (5 << 20), "it is looked at every 10 s, and once")

    def test_a_peer_whose_file_system_does_not_answer_holds_nobody_up(self):
        system, directory = self.hanging()
        self.start_broker()
        # What it needs to be a Python it reads elsewhere.
        peer = self.started(
            directory / "program", "-c", PEER, self.run_directory / "extensiond/broker/io.extensiond.Broker",
            says="ready", environment={"PYTHONHOME": sys.base_prefix})
        self.hang(system)
        self.tell(peer)
        self.assertIn('"verified":false', self.line_of(peer))
        # It is connected still.
        self.ask("Status")

    def test_a_root_whose_file_system_does_not_answer_holds_no_peer_up(self):
        system, directory = self.hanging()
        self.start_broker(EXTENSIOND_PATH=str(directory / "extensions"))
        self.ask("Rescan", wait=True)
        self.hang(system)
        self.ask("Rescan", wait=False)
        self.ask("Status")
        self.assertFalse(self.host().hello["verified"])

    def end_while_it_waits(self, system):
        """Ends an extension that is being started, when the file system was asked something and does not answer."""
        self.hang(system)
        host = self.host()
        host.send("Activate", {"extension": "org.example.Ext"})
        self.assertEqual(self.line_of(system), "asked")
        # Nobody else waits.
        self.ask("Status")
        self.assertEqual(self.ask("Stop", target="org.example.Ext")["ended"], 1)
        with self.assertRaises(VarlinkError) as caught:
            host.receive()
        self.assertEqual(caught.exception.parameters["reason"]["kind"], "stopping")
        self.assertEqual(self.ask("ListInstances")["instances"], [])
        system.kill()
        return host

    def test_what_is_ended_while_its_container_is_looked_at_is_not_started(self):
        container = self.home / ".local/share/extensiond-containers/org.example.Ext"
        self.env |= {"EXTENSIOND_CONTAINER_BYTES": str(1 << 20), "EXTENSIOND_CONTAINER_MS": "50"}
        self.ready(body="""
home = os.environ["HOME"]
with open(home + "/starts", "a") as file: file.write("started\\n")
def fill():
    while not os.path.exists(home + "/go"): time.sleep(0.01)
    with open(home + "/large", "wb") as file: file.write(bytes(2 << 20))
threading.Thread(target=fill, daemon=True).start()
""")
        _, lease, _ = self.activate(self.host())
        (container / "go").touch()
        # It stored too much; so its container is looked at before it is started again.
        self.assertEqual(lease.recv(1), b"")
        (container / "go").unlink()
        (container / "large").unlink()
        system, directory = self.hanging(container / "mount")
        host = self.end_while_it_waits(system)
        self.unmount(directory)
        # Its turn comes after the one that was ended.
        self.activate(host)
        self.assertEqual((container / "starts").read_text(), "started\n" * 2)

    def test_a_container_on_a_file_system_that_does_not_answer_holds_up_nobody_else(self):
        self.ready()
        system, directory = self.hanging(self.home / ".local/share/extensiond-containers")
        host = self.end_while_it_waits(system)
        self.unmount(directory)
        self.activate(host)

    def test_forgetting_what_cannot_be_removed_yet_keeps_nobody_from_deciding(self):
        self.ready()
        system, _ = self.hanging(self.home / ".local/share/extensiond-containers/org.example.Gone")
        self.hang(system)
        forgetting = self.admin()
        forgetting.send("Forget", {"extension": "org.example.Gone"})
        self.assertEqual(self.line_of(system), "asked")
        self.ask("Disable", extension="org.example.Ext")
        self.assertEqual(self.state(self.root / "Ext.appex"), "disabled")
        system.kill()
        with self.assertRaises(VarlinkError) as caught:
            forgetting.receive()
        self.assertEqual(caught.exception.name, "StorageFailed")

    def test_a_root_that_never_answered_is_not_waited_for_and_is_read_when_it_does(self):
        system, directory = self.hanging()
        # Below the mount nothing can be made; the root is a link to it.
        self.hang(system)
        self.put(self.make_host())
        self.put(self.make_bundle())
        root = self.place / "link"
        root.symlink_to(directory)
        self.start_broker(EXTENSIOND_PATH=str(root), EXTENSIOND_SCAN_MS="500")
        # What lies in the other roots is there.
        host = self.host()
        self.approve("org.example.Ext")
        self.activate(host)
        explained = self.extctl("explain", "org.example.Missing").stdout
        self.assertIn(f"what is in {root} is not known yet", explained)
        self.assertIn(f"{root} is unread (its file system has not answered yet)", self.extctl("doctor").stdout)
        # Another file system is there now.
        other = self.put(self.make_bundle("org.example.Other"), root=self.place / "other")
        root.unlink()
        root.symlink_to(other.parent)
        system.kill()
        self.wait_state(root / other.name, "unapproved")
        self.assertNotIn("unread", self.extctl("doctor").stdout)
        self.assertNotIn("not known yet", self.extctl("explain", "org.example.Missing").stdout)

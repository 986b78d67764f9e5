"""Roots on file systems that tell of no changes."""

import os
import pathlib
import shutil
import subprocess
import time
import unittest

from world import World


def missing():
    """Why no file system of this kind can be mounted here; None where it can."""
    if not shutil.which("bindfs"):
        return "bindfs is not installed"
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
        reason = missing()
        if not reason:
            done = subprocess.run(["bindfs", source, target], capture_output=True, text=True, timeout=20)
            reason = done.returncode and f"bindfs cannot mount: {done.stderr.strip()}"
        if reason:
            print(f"\nskipped: {self.id()}: {reason}", flush=True)
            raise unittest.SkipTest(reason)
        # Lazily: it must be gone before its directory is removed, whoever still has it open.
        self.addCleanup(subprocess.run, ["umount", "--lazy", target], check=True, timeout=20)

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
        states = {root["path"]: root["state"] for root in self.ask("Status")["roots"]}
        self.assertEqual(states[str(self.root)], "polled")
        lines = [line.split() for line in self.extctl("status").stdout.splitlines()]
        self.assertIn(["polled", "1", str(self.root)], lines)
        before, started = self.bytes_read(), time.monotonic()
        self.put(self.make_bundle(), root=source)
        self.wait_state(self.root / "Ext.appex", "unapproved")
        # Looked at every 10 s, and once: nothing but the content tells here whether it changed.
        self.assertLess(time.monotonic() - started, 12)
        time.sleep(0.5)
        self.assertLess(self.bytes_read() - before, 8 << 20, "it was read more than once")

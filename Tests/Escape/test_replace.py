"""Something else takes the place of what was approved, in every way between approval and launch. One line an attempt.

What is tried must never run: it would leave a mark in its container."""
import ctypes
import mmap
import os
import subprocess
import threading
import unittest

from environment import Place, tell
from world import EXTENSION, VarlinkError

libc = ctypes.CDLL(None, use_errno=True)
EXCHANGE = 2
MARK = 'import os\nopen(os.environ["HOME"] + "/mark", "w").close()\n'
EVIL = "#!/usr/bin/python3\n" + MARK + EXTENSION % {"body": "", "scenes": ""}


def exchange(one, other):
    if libc.renameat2(-100, os.fsencode(one), -100, os.fsencode(other), EXCHANGE) < 0:
        raise OSError(ctypes.get_errno(), "renameat2")


class Replace(Place):
    def setUp(self):
        super().setUp()
        self.ready()
        self.bundle = self.root / "Ext.appex"
        self.other = self.make_bundle(program=EVIL, where=self.place / "evil")

    def attempt(self, what, wanted):
        """Asks for the extension, and looks whether what is there now ran."""
        try:
            _, lease, connection = self.activate(self.host(), connect=True)
            self.echo(connection)
            outcome = "approved content ran"
            lease.close()
        except VarlinkError as error:
            reason = error.parameters.get("reason", {})
            outcome = reason.get("kind") or error.parameters.get("state") or error.name
        tell(what, outcome)
        container = self.home / ".local/share/extensiond-containers/org.example.Ext"
        self.assertFalse((container / "mark").exists(), f"{what}: it ran")
        self.assertIn(outcome, wanted)

    def test_another_bundle_renamed_into_its_place(self):
        exchange(self.bundle, self.other)
        self.attempt("rename another bundle into its place", ["changed"])

    def test_a_link_in_its_place(self):
        self.bundle.rename(self.place / "away")
        self.bundle.symlink_to(self.other)
        self.attempt("a symbolic link in its place", [
            "changed", "invalid", "removed", "startFailed", "unapproved", "ExtensionNotFound"])

    def test_its_program_replaced(self):
        new = self.place / "new"
        new.write_text(EVIL)
        new.chmod(0o755)
        new.rename(self.bundle / "main.py")
        self.attempt("rename another program into it", ["changed"])

    def test_a_link_in_place_of_its_program(self):
        (self.bundle / "main.py").unlink()
        (self.bundle / "main.py").symlink_to(self.other / "main.py")
        self.attempt("a symbolic link in place of its program", ["changed", "invalid"])

    @unittest.skipUnless(os.geteuid() == 0, "only root can mount where the broker looks")
    def test_a_mount_over_it(self):
        subprocess.run(["mount", "--bind", self.other, self.bundle], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.bundle], check=True)
        self.attempt("a mount over it", ["changed", "invalid", "startFailed"])

    @unittest.skipUnless(os.geteuid() == 0, "only root can mount where the broker looks")
    def test_a_mount_over_its_program(self):
        subprocess.run(["mount", "--bind", self.other / "main.py", self.bundle / "main.py"], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.bundle / "main.py"], check=True)
        self.attempt("a mount over its program", ["changed", "invalid", "startFailed"])

    def test_a_mount_over_it_in_a_name_space_of_its_own(self):
        """Everybody can make one, and mount there; the broker does not live there."""
        script = f"mount --bind {self.other} {self.bundle} && echo mounted && read line"
        other = subprocess.Popen(
            ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        self.addCleanup(other.communicate)
        self.assertEqual(other.stdout.readline(), b"mounted\n")
        self.attempt("a mount over it in another name space", ["approved content ran"])

    def test_a_file_that_is_open_for_writing(self):
        file = open(self.bundle / "main.py", "r+b", buffering=0)
        self.addCleanup(file.close)
        self.attempt("an open file, to be written later", ["startFailed"])
        file.write(EVIL.encode())
        self.attempt("write through an open file", ["startFailed", "changed", "unapproved"])

    def test_a_store_through_a_shared_mapping(self):
        size = (self.bundle / "main.py").stat().st_size
        with open(self.bundle / "main.py", "r+b") as file:
            memory = mmap.mmap(file.fileno(), size)
        self.addCleanup(memory.close)
        self.attempt("a shared mapping, to be stored to later", ["startFailed"])
        evil = EVIL.encode()[:size]
        memory[: len(evil)] = evil
        self.attempt("store through an old shared mapping", ["startFailed", "changed"])

    def test_it_changes_places_all_the_time(self):
        """The launch is from the directory that was checked: whatever stands at the path then is not looked at."""
        stopped = threading.Event()
        turns = []

        def swap():
            while not stopped.is_set():
                exchange(self.bundle, self.other)
                turns.append(1)

        thread = threading.Thread(target=swap)
        thread.start()
        try:
            for number in range(20):
                # sandboxFailed: bwrap saw it happen while it mounted.
                self.attempt(f"change places all the time, {number + 1}", [
                    "sandboxFailed",
                    "approved content ran", "changed", "startFailed", "removed", "unapproved", "updated",
                    "startTimedOut", "ExtensionNotFound", "invalid"])
        finally:
            stopped.set()
            thread.join()
        self.assertGreater(len(turns), 20)


if __name__ == "__main__":
    unittest.main()

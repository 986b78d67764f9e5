"""Something else takes the place of what was approved, in every way between approval and launch. One line an attempt.

What is tried must never run: it would leave a mark in its container."""
import ctypes
import mmap
import os
import pathlib
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "IntegrationTests"))
from world import EXTENSION, VarlinkError, World  # noqa: E402

libc = ctypes.CDLL(None, use_errno=True)
EXCHANGE = 2
MARK = 'import os\nopen(os.environ["HOME"] + "/mark", "w").close()\n'
EVIL = "#!/usr/bin/python3\n" + MARK + EXTENSION % {"body": "", "scenes": ""}


def exchange(one, other):
    if libc.renameat2(-100, os.fsencode(one), -100, os.fsencode(other), EXCHANGE) < 0:
        raise OSError(ctypes.get_errno(), "renameat2")


class Replace(World):
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
        print(f"{what}: {outcome}", flush=True)
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
                self.attempt(f"change places all the time, {number + 1}", [
                    "approved content ran", "changed", "startFailed", "removed", "unapproved", "updated",
                    "startTimedOut", "ExtensionNotFound", "invalid"])
        finally:
            stopped.set()
            thread.join()
        self.assertGreater(len(turns), 20)


class Outside(World):
    """What stays possible for a process of the same user that is in no sandbox. docs/security.md says so."""

    def test_it_can_approve(self):
        self.put(self.make_host())
        path = self.put(self.make_bundle())
        self.start_broker()
        self.approve("org.example.Ext")
        self.assertEqual(self.state(path), "enabled")
        print("outside, approve through the administration's socket: done", flush=True)

    def test_it_can_write_decisions(self):
        import sqlite3

        self.put(self.make_host())
        path = self.put(self.make_bundle())
        self.start_broker()
        digest = self.listed(str(path))[0]["digest"]
        self.kill_broker()
        with sqlite3.connect(self.home / ".local/state/extensiond/decisions.sqlite") as database:
            database.execute(
                "INSERT INTO history (identifier, verdict, digest, entitlements, rootOwned, time, peer)"
                " VALUES ('org.example.Ext', 'enabled', ?, '', 0, 0, 'nobody')", [digest])
        self.start_broker()
        self.assertEqual(self.state(path), "enabled")
        print("outside, write into the database of decisions: done", flush=True)

    def test_it_can_write_to_what_runs(self):
        self.ready()
        _, _, connection = self.activate(self.host(), connect=True)
        self.echo(connection)
        # The mount shows the living file: python reads it once, another program might not.
        with open(self.root / "Ext.appex/main.py", "a") as file:
            file.write("# changed")
        self.wait_state(self.root / "Ext.appex", "changed")
        self.echo(connection)
        print("outside, write to a bundle after its launch: done, and noticed for the next launch", flush=True)

    def test_it_can_use_a_developers_bundle(self):
        self.put(self.make_host())
        self.start_broker()
        developer = self.admin()
        developer.send("Develop", {"path": str(self.make_bundle())}, more=True)
        self.assertEqual([row["state"] for row in developer.receive()["extensions"]], ["enabled"])
        print("outside, use a bundle as a developer's: done, and marked in every list", flush=True)


if __name__ == "__main__":
    unittest.main()

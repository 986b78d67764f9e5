"""Finding bundles, live, and deciding about them."""

import os
import pathlib
import plistlib
import shutil
import signal
import subprocess
import threading
import time
import unittest

from world import DEADLINE, Doings, VarlinkError, World, until


class Discovery(World):
    def test_a_root_that_appears_later_with_a_bundle_in_it(self):
        self.start_broker()
        self.assertEqual(self.listed(), [])
        path = self.put(self.make_bundle())
        self.wait_state(path, "unapproved")

    def test_a_root_that_is_no_directory_is_waited_for(self):
        self.place.joinpath("file").touch()
        self.place.joinpath("link").symlink_to("nowhere")
        roots = [self.place / "file", self.place / "link"]
        self.start_broker(EXTENSIOND_PATH=":".join(map(str, roots)))
        self.ask("Rescan", wait=True)
        for root in roots:
            root.unlink()
            root.mkdir()
            bundle = self.put(self.make_bundle(f"org.example.{root.name.title()}"), root=root)
            self.wait_state(bundle, "unapproved")

    def test_a_root_is_one_however_many_slashes_it_ends_with(self):
        root = self.place / "other"
        root.mkdir()
        path = self.put(self.make_bundle(), root=root)
        self.start_broker(EXTENSIOND_PATH=f"{root}//:{root}")
        self.wait_state(path, "unapproved")
        paths = [one["path"] for one in self.ask("Status")["roots"]]
        self.assertEqual([one for one in paths if one.startswith(str(root))], [str(root)])
        # The root of what is found is known, or its content would not be watched.
        self.extctl("approve", "org.example.Ext", "--yes")
        self.wait_state(path, "enabled")
        (path / "main.py").write_text("#!/bin/sh\n")
        self.wait_state(path, "changed")

    def test_a_list_of_very_many_bundles_is_whole(self):
        words = {key: "1" * 500 for key in ("Description", "Developer", "License")}
        for number in range(1000):
            self.put(self.make_bundle(f"org.example.N{number}", info={"Extensiond": words}))
        self.start_broker()
        self.assertEqual(len(self.listed()), 1000)
        self.assertEqual(len(self.extctl("list").stdout.splitlines()), 1001)

    def test_install_replace_rename_and_remove_are_noticed(self):
        self.ready()
        stream = self.subscribe()
        self.assertEqual([i["version"] for i in stream.receive()["snapshot"]["identities"]], ["1.0"])
        path = self.root / "Ext.appex"
        new = self.make_bundle(info={"CFBundleShortVersionString": "2.0"})
        shutil.move(path, self.place / "old")
        new.rename(path)
        change = stream.receive()["change"]
        while not change["unapprovedCount"]:
            change = stream.receive()["change"]
        self.assertEqual(self.state(path), "changed")
        renamed = path.rename(self.root / "Other.appex")
        self.wait_state(renamed, "changed")
        self.assertIsNone(self.state(path))
        shutil.rmtree(renamed)
        until(lambda: self.state(renamed) is None, "the removed bundle to be gone")
        while change["unapprovedCount"]:
            change = stream.receive()["change"]

    def test_a_half_copied_bundle_is_read_when_it_is_whole(self):
        self.root.mkdir(parents=True)
        self.start_broker()
        source = self.make_bundle()
        target = self.root / source.name
        target.mkdir()
        watch = self.admin()
        watch.send("Watch", more=True)
        watch.receive()
        # As a package manager does it: one file after the other.
        shutil.copy(source / "main.py", target / "main.py")
        shutil.copy(source / "Info.plist", target / "Info.plist")
        self.wait_state(target, "unapproved")

    def test_a_bundle_that_is_broken_at_the_start_is_noticed_when_it_is_mended(self):
        source = self.make_bundle()
        target = self.root / source.name
        (target / "Contents").mkdir(parents=True)
        self.start_broker()
        self.wait_state(target, "invalid")
        shutil.copy(source / "main.py", target / "main.py")
        shutil.copy(source / "Info.plist", target / "Info.plist")
        self.wait_state(target, "unapproved")

    @unittest.skipUnless(shutil.which("strace"), "no strace")
    def test_a_rescan_of_what_did_not_change_makes_no_thread(self):
        self.ready()
        self.ask("Rescan", wait=True)
        calls = self.place / "calls"
        tracer = subprocess.Popen(
            ["strace", "-f", "-e", "trace=clone,clone3,getdents64", "-o", calls, "-p", str(self.broker.pid)],
            stderr=subprocess.PIPE, text=True)
        try:
            self.assertIn("attached", tracer.stderr.readline())
            for _ in range(5):
                self.ask("Rescan", wait=True)
        finally:
            tracer.terminate()
            tracer.communicate()
        found = calls.read_text()
        self.assertGreaterEqual(found.count("getdents64("), 5)
        self.assertNotIn("clone", found)

    def test_a_file_that_is_being_written_takes_nothing_from_hosts(self):
        self.put(self.make_host())
        path = self.put(self.make_bundle())
        self.start_broker()
        stream = self.subscribe()
        self.assertEqual(stream.receive()["snapshot"]["unapprovedCount"], 1)
        content = (path / "main.py").read_bytes()
        over = threading.Event()

        def write():
            while not over.wait(0.02):
                (path / "main.py").write_bytes(b"")

        # Somebody has begun to write when the broker begins to look, and writes on until it has looked.
        (path / "main.py").write_bytes(b"")
        writer = threading.Thread(target=write)
        looks = Doings(self, path, Doings.CLOSE_NOWRITE)
        writer.start()
        try:
            self.approve("org.example.Ext")
            looks.wait("Info.plist")
        finally:
            over.set()
            writer.join()
        (path / "main.py").write_bytes(content)
        self.assertEqual([item["id"] for item in stream.receive()["change"]["added"]], ["org.example.Ext"])
        info = plistlib.loads((path / "Info.plist").read_bytes())
        (path / "Info.plist").write_bytes(plistlib.dumps({**info, "CFBundleShortVersionString": "2.0"}))
        change = stream.receive()["change"]
        self.assertEqual((change["removed"], change["unapprovedCount"]), (["org.example.Ext"], 1))

    def test_a_file_that_is_open_for_writing_is_waited_for(self):
        path = self.put(self.make_bundle())
        with open(path / "main.py", "ab"):
            begun = time.monotonic()
            self.start_broker()
            self.ask("Rescan", wait=True)
            state = self.state(path)
            # After 10 s it is taken as it is.
            if time.monotonic() < begun + 10:
                self.assertIsNone(state)
        self.wait_state(path, "unapproved")

    def test_content_that_changed_needs_approval_again(self):
        self.ready()
        path = self.root / "Ext.appex"
        activation, _, connection = self.activate(self.host(), connect=True)
        with open(path / "main.py", "a") as file:
            file.write("# something else\n")
        self.wait_state(path, "changed")
        self.echo(connection)
        with self.assertRaises(VarlinkError) as caught:
            self.activate(self.host())
        self.assertEqual(caught.exception.parameters["state"], "changed")
        self.approve("org.example.Ext")
        _, _, fresh = self.activate(self.host(), connect=True)
        self.echo(fresh)

    def test_approval_is_for_what_was_shown(self):
        path = self.put(self.make_bundle())
        self.start_broker()
        item = self.listed(str(path))[0]
        for digest, entitlements in (("sha256:" + "0" * 64, []), (item["digest"], ["network-client"])):
            with self.assertRaises(VarlinkError) as caught:
                self.ask("Approve", extension=str(path), digest=digest, entitlements=entitlements)
            self.assertEqual((caught.exception.name, caught.exception.parameters["digest"]), ("Changed", item["digest"]))
        self.assertEqual(self.state(path), "unapproved")

    def test_a_change_between_check_and_start_is_noticed(self):
        """Written through a mapping that was made before: stat shows nothing."""
        self.ready()
        path = self.root / "Ext.appex"
        import mmap

        file = os.open(path / "main.py", os.O_RDWR)
        self.addCleanup(os.close, file)
        memory = mmap.mmap(file, 0)
        self.addCleanup(memory.close)
        with self.assertRaises(VarlinkError) as caught:
            self.activate(self.host())
        self.assertIn(caught.exception.parameters["reason"]["kind"], ("startFailed", "changed"))

    def test_entitlements_are_approved_with_the_content(self):
        bundle = self.make_bundle()
        (bundle / "Entitlements.plist").write_bytes(plistlib.dumps({"network-client": True}))
        path = self.put(bundle)
        self.start_broker()
        item = self.listed(str(path))[0]
        self.assertEqual((item["state"], item["entitlements"]), ("unapproved", ["network-client"]))
        with self.assertRaises(VarlinkError) as caught:
            self.ask("Approve", extension=str(path), digest=item["digest"], entitlements=[])
        self.assertEqual(caught.exception.parameters["entitlements"], ["network-client"])
        self.ask("Approve", extension=str(path), digest=item["digest"], entitlements=["network-client"])
        self.assertEqual(self.listed(str(path))[0]["state"], "enabled")

    def test_duplicates_an_approved_copy_wins_then_root_order(self):
        second = self.place / "share/extensiond"
        self.env["XDG_DATA_DIRS"] = str(self.place / "share")
        self.put(self.make_host())
        approved = self.put(self.make_bundle(), second)
        self.start_broker()
        self.approve("org.example.Ext")
        first = self.put(self.make_bundle(where=self.place / "other", info={"CFBundleShortVersionString": "9"}))
        self.wait_state(first, "shadowed")
        self.assertEqual(self.state(approved), "enabled")
        self.ask("Reset", extension=str(approved))
        self.wait_state(approved, "shadowed")
        self.assertEqual(self.state(first), "unapproved")

    def test_broken_bundles_are_listed_with_every_failed_check(self):
        cases = {
            "Empty": lambda b: (b / "Info.plist").write_bytes(b""),
            "Truncated": lambda b: (b / "Info.plist").write_bytes((b / "Info.plist").read_bytes()[:200]),
            "List": lambda b: (b / "Info.plist").write_bytes(plistlib.dumps([1])),
            "Types": lambda b: (b / "Info.plist").write_bytes(self.types()),
            "Leaves": lambda b: self.rewrite(b, CFBundleExecutable="../../../../bin/sh"),
            "Gone": lambda b: (b / "main.py").unlink(),
            "Link": lambda b: (b / "link").symlink_to("/etc/passwd"),
            "Others": lambda b: (b / "main.py").chmod(0o777),
            "Machine": lambda b: (b / "main.py").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\0\xf3\0" + bytes(100)),
            "Fifo": lambda b: os.mkfifo(b / "fifo"),
        }
        for name, spoil in cases.items():
            bundle = self.make_bundle(f"org.example.{name}")
            spoil(bundle)
            self.put(bundle)
        (self.root / "Wrong.plugin").mkdir()
        shutil.copy(self.make_bundle("org.example.Wrong") / "Info.plist", self.root / "Wrong.plugin/Info.plist")
        good = self.put(self.make_bundle("org.example.Good"))
        self.start_broker()
        states = {pathlib.Path(item["path"]).name: item for item in self.listed()}
        for name in cases:
            item = states[f"{name}.appex"]
            self.assertEqual(item["state"], "incompatible" if name == "Machine" else "invalid", item)
            self.assertTrue(item["explanation"])
        self.assertEqual(states["Wrong.plugin"]["state"], "nearMiss")
        self.assertGreaterEqual(len(states["Types.appex"]["problems"]), 2)
        self.assertEqual(self.state(good), "unapproved")

    @staticmethod
    def types():
        return plistlib.dumps({"CFBundleIdentifier": 7, "EXAppExtensionAttributes": {"EXExtensionPointIdentifier": []}})

    def rewrite(self, bundle, **keys):
        info = plistlib.loads((bundle / "Info.plist").read_bytes())
        (bundle / "Info.plist").write_bytes(plistlib.dumps({**info, **keys}, fmt=plistlib.FMT_BINARY))

    def test_more_changes_than_the_kernel_keeps_lose_nothing(self):
        self.ready()
        other = self.make_bundle("org.example.Other")
        self.broker.send_signal(signal.SIGSTOP)
        limit = int(pathlib.Path("/proc/sys/fs/inotify/max_queued_events").read_text())
        for number in range(limit + 1):
            (self.root / f"{number % 500}").touch()
        path = self.root / "Other.appex"
        other.rename(path)
        self.broker.send_signal(signal.SIGCONT)
        self.wait_state(path, "unapproved")
        self.assertIn("all roots are read again", self.log_text())

    def test_a_restart_reads_only_what_changed(self):
        self.root.mkdir(parents=True)
        for name in ("Same", "Other"):
            bundle = self.make_bundle(f"org.example.{name}")
            (bundle / "large").write_bytes(os.urandom(8 << 20))
            old = time.time() - 3600
            for path in (bundle / "large", bundle / "main.py", bundle / "Info.plist", bundle):
                os.utime(path, (old, old))
            self.put(bundle)
        self.start_broker()
        before = {name: self.listed(f"org.example.{name}")[0]["digest"] for name in ("Same", "Other")}
        self.assertGreater(self.bytes_read(), 16 << 20)
        self.stop_broker()
        (self.root / "Other.appex/large").write_bytes(b"less")
        self.start_broker()
        self.assertEqual(self.listed("org.example.Same")[0]["digest"], before["Same"])
        self.assertNotEqual(self.listed("org.example.Other")[0]["digest"], before["Other"])
        self.assertLess(self.bytes_read(), 1 << 20)

    def bytes_read(self):
        self.ask("Rescan", wait=True)
        lines = pathlib.Path(f"/proc/{self.broker.pid}/io").read_text().splitlines()
        return int(lines[0].removeprefix("rchar: "))

    def test_a_damaged_cache_is_made_anew(self):
        self.ready()
        self.stop_broker()
        for file in (self.home / ".cache/extensiond").iterdir():
            file.write_bytes(b"not a database, whatever it was" * 1000)
        self.start_broker()
        self.wait_state(self.root / "Ext.appex", "enabled")
        self.assertNotIn("hashed again", self.log_text())

    def test_rescan_is_a_barrier(self):
        self.root.mkdir(parents=True)
        self.start_broker()
        for number in range(5):
            path = self.put(self.make_bundle(f"org.example.E{number}"))
            self.ask("Rescan", wait=True)
            self.assertEqual(self.state(path), "unapproved")


class Decisions(World):
    def test_a_decision_outlives_the_broker_at_once(self):
        self.ready()
        self.kill_broker()
        self.start_broker()
        self.assertEqual(self.listed("org.example.Ext")[0]["state"], "enabled")
        self.ask("Disable", extension="org.example.Ext")
        self.kill_broker()
        self.start_broker()
        self.assertEqual(self.listed("org.example.Ext")[0]["state"], "disabled")
        history = self.ask("History", extension="org.example.Ext")["decisions"]
        self.assertEqual([row["decision"] for row in history], ["disabled", "enabled"])
        self.assertIn("python", history[0]["peer"])

    def test_a_decision_that_cannot_be_stored_does_not_hold(self):
        path = self.put(self.make_bundle())
        self.start_broker()
        item = self.listed(str(path))[0]
        import resource

        # A file size limit stands for a full disk: SQLite cannot write a page.
        resource.prlimit(self.broker.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        with self.assertRaises(VarlinkError) as caught:
            self.ask("Approve", extension=str(path), digest=item["digest"], entitlements=[])
        self.assertEqual(caught.exception.name, "StorageFailed")
        self.assertEqual(self.state(path), "unapproved")
        resource.prlimit(self.broker.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        self.approve("org.example.Ext")
        self.assertEqual(self.state(path), "enabled")

    def test_state_of_a_newer_version_is_left_alone(self):
        import sqlite3

        directory = self.home / ".local/state/extensiond"
        directory.mkdir(parents=True)
        with sqlite3.connect(directory / "decisions.sqlite") as database:
            database.execute("PRAGMA user_version=99")
        before = (directory / "decisions.sqlite").read_bytes()
        self.start_broker()
        self.assertEqual(self.broker.wait(), 78)
        self.assertIn("newer version", self.log_text())
        self.assertEqual((directory / "decisions.sqlite").read_bytes(), before)

    def test_a_home_behind_a_link_is_as_good_as_another_one(self):
        real = self.place / "var-home"
        self.home.rename(real)
        self.home.symlink_to(real)
        self.ready()
        self.assertTrue((real / ".local/state/extensiond/decisions.sqlite").exists())
        self.activate(self.host())

    def test_a_database_that_is_a_link_is_not_followed(self):
        directory = self.home / ".local/state/extensiond"
        directory.mkdir(parents=True)
        other = self.place / "other"
        (directory / "decisions.sqlite").symlink_to(other)
        self.start_broker()
        self.assertEqual(self.broker.wait(), 78)
        self.assertFalse(other.exists())

    def test_a_second_broker_says_that_there_is_one(self):
        self.start_broker()
        import subprocess
        from world import BUILD

        second = subprocess.run([BUILD / "extensiond"], env=self.env, capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(second.returncode, 3)
        self.assertIn("another extensiond serves", second.stderr)
        self.listed()

    def test_no_runtime_directory_is_said(self):
        import subprocess
        from world import BUILD

        env = {key: value for key, value in self.env.items() if key != "XDG_RUNTIME_DIR"}
        for program in ("extensiond", "extensiond-launcher"):
            ended = subprocess.run([BUILD / program], env=env, capture_output=True, text=True, timeout=DEADLINE)
            self.assertEqual(ended.returncode, 78)
            self.assertIn("XDG_RUNTIME_DIR", ended.stderr)

    def test_something_in_the_way_of_a_socket_is_said_and_kept(self):
        path = self.run_directory / "extensiond/broker/io.extensiond.Broker"
        path.parent.mkdir(parents=True)
        path.write_text("mine")
        self.start_broker()
        self.assertNotEqual(self.broker.wait(), 0)
        self.assertIn("remove what is in the way", self.log_text())
        self.assertEqual(path.read_text(), "mine")

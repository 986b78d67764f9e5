"""What a broker takes from the cache of the one before, and what it never takes from there."""

import os
import plistlib
import re
import shutil
import sqlite3
import subprocess
import time
import unittest

from world import BUILD, World, until


class WarmStart(World):
    def put_rich(self):
        """An application with a point, an extension inside and all that is shown of them; and an extension by itself."""
        host = self.make_host(point={"Version": "1.2", "UserInterface": True})
        for language, name in (("de", "Gastgeber"), ("pt-BR", "Anfitriã")):
            (host / f"{language}.lproj").mkdir()
            (host / f"{language}.lproj/InfoPlist.strings").write_text(f'"CFBundleName" = "{name}";\n')
        (host / "icon.png").write_bytes(b"an image")
        (host / "Info.plist").write_bytes(plistlib.dumps({
            "CFBundleIdentifier": "org.example.Host", "CFBundleName": "Host", "CFBundleIconFile": "icon",
            "NSHumanReadableCopyright": "2026 Example",
            "Extensiond": {
                "Programs": ["/usr/bin/editor"], "Developer": "Example", "License": "MIT",
                "HomePage": "https://example.org/"}}))
        inner = self.make_bundle(
            "org.example.Host.Inner", where=host / "Extensions", info={
                "CFBundleVersion": "7", "Extensiond": {
                    "Description": "Does a thing", "PointVersion": "1.1", "Arguments": ["--one", ""],
                    "StartTimeout": 3, "Limits": {"Memory": 1 << 28, "OpenFiles": 100}}})
        (inner / "Entitlements.plist").write_bytes(plistlib.dumps({"network-client": True}))
        self.put(host)
        self.put(self.make_bundle("org.example.Kept"))
        return self.root / "Kept.appex"

    def wait_until_old(self):
        """What was written a moment before it is read is read once more."""
        newest = max(path.lstat().st_ctime for path in self.root.rglob("*"))
        until(lambda: time.time() > newest + 0.1, "the bundles' times to be told from now")

    def start_twice(self):
        """The second one has a cache. Returns what was listed by the first."""
        self.wait_until_old()
        self.start_broker()
        listed = self.all_listed()
        self.stop_broker()
        return listed

    def all_listed(self):
        listed = sorted(self.listed(), key=lambda item: item["path"])
        for limit in (limit for item in listed for limit in item.get("limits", [])):
            # The launcher says what holds it, when it has come.
            limit.pop("holds", None)
        return listed

    def change_kept_facts(self, change):
        with sqlite3.connect(self.home / ".cache/extensiond/digests.sqlite") as database:
            rows = database.execute("SELECT path, facts FROM fingerprints WHERE facts IS NOT NULL").fetchall()
            for path, facts in rows:
                database.execute("UPDATE fingerprints SET facts = ? WHERE path = ?", [change(facts), path])
        database.close()
        return [path for path, _ in rows]

    def version(self, name="org.example.Kept"):
        return self.listed(name)[0]["version"]

    def test_what_was_kept_says_what_reading_says(self):
        kept = self.put_rich()
        before = self.start_twice()
        self.assertEqual(len(before), 3)
        self.start_broker()
        self.assertEqual(self.all_listed(), before)
        self.assertEqual(self.state(kept), "unapproved")
        self.stop_broker()
        self.assertEqual(
            self.change_kept_facts(lambda facts: facts), [str(self.root / "Host.app"), str(kept)])

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_an_unchanged_bundle_is_looked_at_and_not_opened(self):
        kept = self.put_rich()
        self.start_twice()
        trace = self.place / "trace"
        # With -D the broker is our child, not strace.
        self.broker = subprocess.Popen(
            ["strace", "-D", "-f", "-e", "trace=%file,%desc", "-o", trace, BUILD / "extensiond"], env=self.env,
            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: self.can_connect(self.run_directory / "extensiond/admin/io.extensiond.Admin"), "the broker")
        self.assertEqual(len(self.listed()), 3)
        self.stop_broker()
        until(lambda: re.search(rf"^{self.broker.pid} .*exited", trace.read_text(), re.MULTILINE), "strace's end")
        calls = [
            (line.split(None, 1)[1].partition("(")[0], re.search(r'"([^"]*)"', line).group(1))
            for line in trace.read_text().splitlines() if re.search(r'"(Kept\.appex|Host\.app)', line)]
        there = [path for name in ("Host.app", "Kept.appex") for path in (
            self.root / name, *(self.root / name).rglob("*"))]
        self.assertEqual(
            sorted(calls), sorted(("newfstatat", os.fsencode(path.relative_to(self.root)).decode()) for path in there))
        self.assertTrue(kept.exists())

    def test_a_file_of_the_same_size_and_time_that_changed_is_read(self):
        info = self.put_rich() / "Info.plist"
        self.start_twice()
        times = info.stat()
        info.write_bytes(info.read_bytes().replace(b"1.0</string>", b"2.0</string>"))
        os.utime(info, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.assertEqual(info.stat().st_size, times.st_size)
        self.start_broker()
        self.assertEqual(self.version(), "2.0")

    def test_what_others_may_write_now_is_refused(self):
        kept = self.put_rich()
        self.start_twice()
        (kept / "main.py").chmod(0o777)
        self.start_broker()
        self.assertEqual(self.state(kept), "invalid")

    def test_what_came_to_a_bundle_is_noticed(self):
        kept = self.put_rich()
        before = self.start_twice()
        (kept / "Entitlements.plist").write_bytes(plistlib.dumps({"network-client": True}))
        self.start_broker()
        self.assertEqual(self.listed("org.example.Kept")[0]["entitlements"], ["network-client"])
        self.assertNotIn(self.listed("org.example.Kept")[0]["digest"], [item["digest"] for item in before])

    def test_what_another_program_kept_is_not_believed(self):
        self.put_rich()
        self.start_twice()
        self.change_kept_facts(lambda facts: facts.replace(b"1.0", b"9.9"))
        # So the list does come from there.
        self.start_broker()
        self.assertEqual(self.version(), "9.9")
        self.stop_broker()
        programs = self.place / "programs"
        programs.mkdir()
        shutil.copy(BUILD / "extensiond", programs)
        for name in ("extensiond-launcher", "extension-init"):
            (programs / name).symlink_to(BUILD / name)
        self.broker = subprocess.Popen(
            [programs / "extensiond"], env=self.env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: self.can_connect(self.run_directory / "extensiond/admin/io.extensiond.Admin"), "the broker")
        self.assertEqual(self.version(), "1.0")

    def test_nothing_is_launched_as_the_cache_alone_says_it_is(self):
        self.put(self.make_host())
        bundle = self.make_bundle()
        (bundle / "none.py").write_text("#!/bin/false\n")
        (bundle / "none.py").chmod(0o755)
        self.put(bundle)
        self.wait_until_old()
        self.start_broker()
        self.approve("org.example.Ext")
        self.stop_broker()
        self.change_kept_facts(lambda facts: facts.replace(b"main.py", b"none.py"))
        self.start_broker()
        self.assertEqual(self.state(self.root / "Ext.appex"), "enabled")
        self.echo(self.activate(self.host(), connect=True)[2])

    def test_what_is_damaged_is_read_again(self):
        self.put_rich()
        before = self.start_twice()
        for damage in (
            lambda facts: facts[:-3], lambda facts: facts + b"\1", lambda facts: b"", os.urandom,
            lambda facts: facts[:60] + b"\xff" * 40 + facts[100:],
        ):
            self.change_kept_facts(lambda facts: os.urandom(300) if damage is os.urandom else damage(facts))
            self.start_broker()
            self.assertEqual(self.all_listed(), before)
            self.stop_broker()

    def test_a_cache_of_another_format_is_made_anew(self):
        self.put_rich()
        before = self.start_twice()
        path = self.home / ".cache/extensiond/digests.sqlite"
        with sqlite3.connect(path) as database:
            database.executescript(
                "DROP TABLE fingerprints; PRAGMA user_version = 1;"
                "CREATE TABLE fingerprints (path TEXT PRIMARY KEY, fingerprint BLOB NOT NULL) STRICT, WITHOUT ROWID")
        database.close()
        self.start_broker()
        self.assertEqual(self.all_listed(), before)
        self.stop_broker()
        self.assertEqual(len(self.change_kept_facts(lambda facts: facts)), 2)

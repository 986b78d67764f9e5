"""The SDK's side of a host: its monitor and its uses of extensions, with a real broker."""

import os
import pathlib
import plistlib
import shutil
import signal
import tempfile
import unittest

from probe import ENDING, OTHER, ProbeWorld
from world import until


class Monitors(ProbeWorld):
    def test_changes_tell_what_becomes_of_the_bundles(self):
        self.put(self.make_host())
        self.start_broker()
        host = self.probe()
        self.assertEqual(host.do("monitor first"), "[] disabled 0 unapproved 0")
        host.do("watch")
        path = self.put(self.extension("One"))
        self.assertEqual(
            host.event(), "changed added [] updated [] removed [] now [] disabled 0 unapproved 1")
        self.approve("org.example.One")
        self.assertEqual(
            host.event(), "changed added [One 1.0] updated [] removed [] now [One 1.0] disabled 0 unapproved 0")
        self.ask("Disable", extension="org.example.One")
        self.assertEqual(
            host.event(), "changed added [] updated [] removed [One 1.0] now [] disabled 1 unapproved 0")
        self.approve("org.example.One")
        self.assertEqual(
            host.event(), "changed added [One 1.0] updated [] removed [] now [One 1.0] disabled 0 unapproved 0")
        self.assertEqual(self.extctl("install", self.extension("One", "1.1", "newer")).returncode, 0)
        self.assertEqual(
            host.event(), "changed added [] updated [] removed [One 1.0] now [] disabled 0 unapproved 1")
        self.approve("org.example.One")
        self.assertEqual(
            host.event(), "changed added [One 1.1] updated [] removed [] now [One 1.1] disabled 0 unapproved 0")
        shutil.rmtree(path)
        self.assertEqual(
            host.event(), "changed added [] updated [] removed [One 1.1] now [] disabled 0 unapproved 0")
        self.assertTrue(host.nothing_more())

    @unittest.skipUnless(os.getuid() == 0, "only root can make what only root can write")
    def test_changes_tell_of_an_update(self):
        place = pathlib.Path(tempfile.mkdtemp(prefix="extensiond-test.", dir="/run"))
        self.addCleanup(shutil.rmtree, place)
        place.chmod(0o755)
        self.env["EXTENSIOND_PATH"] = str(place)
        self.put(self.make_host())
        path = pathlib.Path(shutil.copytree(self.extension("One"), place / "One.appex"))
        newer = self.extension("One", "1.1", "newer") / "Info.plist"
        self.start_broker()
        self.approve("org.example.One")
        host = self.probe()
        host.do("monitor first")
        host.do("watch")
        shutil.copy(newer, place / "new")
        os.rename(place / "new", path / "Info.plist")
        self.assertEqual(
            host.event(), "changed added [] updated [One 1.1] removed [] now [One 1.1] disabled 0 unapproved 0")
        self.assertTrue(host.nothing_more())

    def test_the_first_list_is_complete(self):
        self.put(self.make_host())
        names = [f"Ext{number}" for number in range(5)]
        for name in names:
            self.put(self.extension(name))
        self.start_broker()
        for name in names[:4]:
            self.approve(f"org.example.{name}")
        self.ask("Disable", extension="org.example.Ext3")
        self.assertEqual(
            self.probe().do("monitor first"), "[Ext0 1.0, Ext1 1.0, Ext2 1.0] disabled 1 unapproved 1")

    def test_points_are_added_once_and_removed(self):
        bundle = self.make_host()
        (bundle / "Extensions/q.appextensionpoint").write_bytes(plistlib.dumps({OTHER: {"Scope": "none"}}))
        self.put(bundle)
        self.put(self.extension("One"))
        self.put(self.extension("Two", info={"EXAppExtensionAttributes": {"EXExtensionPointIdentifier": OTHER}}))
        self.start_broker()
        for name in ("One", "Two"):
            self.approve(f"org.example.{name}")
        host = self.probe()
        host.do("monitor first")
        host.do("watch")
        both = [host.send("add second"), host.send("add second"), host.send("add first")]
        self.assertEqual([host.result(tag) for tag in both], ["ok"] * 3)
        self.assertEqual(
            host.event(),
            "changed added [Two 1.0] updated [] removed [] now [Two 1.0, One 1.0] disabled 0 unapproved 0")
        # One stream for each point.
        until(lambda: host.sockets() == 2, "two sockets")
        self.assertEqual(host.do("remove first"), "ok")
        self.assertEqual(
            host.event(), "changed added [] updated [] removed [One 1.0] now [Two 1.0] disabled 0 unapproved 0")
        until(lambda: host.sockets() == 1, "one socket")
        self.ask("Disable", extension="org.example.One")
        self.ask("Disable", extension="org.example.Two")
        self.assertEqual(
            host.event(), "changed added [] updated [] removed [Two 1.0] now [] disabled 1 unapproved 0")
        self.assertTrue(host.nothing_more())

    def test_a_restart_of_the_broker_misses_nothing_and_repeats_nothing(self):
        self.put(self.make_host())
        paths = [self.put(self.extension(name)) for name in ("One", "Two")]
        self.start_broker()
        for name in ("One", "Two"):
            self.approve(f"org.example.{name}")
        host = self.probe()
        host.do("monitor first")
        host.do("watch")
        host.do("activate use One")
        host.do("connect use line")
        self.kill_broker()
        self.assertEqual(host.do("line line hello"), "hello")
        self.start_broker()
        # The end of one more extension is the next that is told: the restart itself was no change.
        shutil.rmtree(paths[1])
        self.assertEqual(
            host.event(), "changed added [] updated [] removed [Two 1.0] now [One 1.0] disabled 0 unapproved 0")
        self.kill_broker()
        self.put(self.extension("Three"))
        self.start_broker()
        self.assertEqual(
            host.event(), "changed added [] updated [] removed [] now [One 1.0] disabled 0 unapproved 1")
        self.assertEqual(host.do("line line again"), "again")
        self.assertEqual(host.do("connect use fresh"), "ok")
        self.assertEqual(host.do("line fresh hello"), "hello")
        self.assertTrue(host.nothing_more())

    def test_observers_are_told_of_changes_alone(self):
        self.put(self.make_host())
        path = self.put(self.extension("One"))
        self.start_broker()
        self.approve("org.example.One")
        host = self.probe()
        host.do("monitor first")
        host.do("observe")
        self.assertEqual(host.event(), "observed [One 1.0] disabled 0 unapproved 0")
        # Steps of activations come over the monitor's stream, too.
        for _ in range(3):
            self.assertEqual(host.do("activate use One"), "ok")
        host.do("drop use")
        self.unused()
        self.kill_broker()
        self.start_broker()
        self.ask("Disable", extension="org.example.One")
        self.assertEqual(host.event(), "observed [] disabled 1 unapproved 0")


class Processes(ProbeWorld):
    def setUp(self):
        super().setUp()
        self.ready(identifier="org.example.One", body=ENDING, info={"CFBundleName": "One"})
        self.host = self.probe()
        self.assertEqual(self.host.do("monitor first"), "[One 1.0] disabled 0 unapproved 0")

    def use(self):
        self.assertEqual(self.host.do("activate use One"), "ok")
        self.assertEqual(self.host.do("connect use line"), "ok")

    def test_what_a_host_reports_is_explained(self):
        self.assertEqual(self.host.do("report One wrong colours"), "ok")
        gates = self.ask("Explain", extension="org.example.One")["gates"]
        self.assertEqual([g["evidence"] for g in gates if g["name"] == "reported"], ["by org.example.Host: wrong colours"])
        answers = [self.host.do("report One again") for _ in range(10)]
        self.assertEqual(answers[:9], ["ok"] * 9)
        self.assertIn("limitReached", answers[9])

    def test_each_end_is_told_once_with_its_reason(self):
        for word, kind in {"exit": "exited", "kill": "killed", "abort": "crashed"}.items():
            self.use()
            self.assertEqual(self.host.do(f"line line {word}"), "end")
            self.assertEqual(self.host.event(), f"interrupted use {kind}")
            self.assertIn("activationEnded", self.host.do("connect use late"))
        self.use()
        self.ask("Disable", extension="org.example.One")
        self.assertEqual(self.host.event(), "interrupted use disabled")
        self.host.do("invalidate use")
        self.assertTrue(self.host.nothing_more())

    def test_each_end_is_told_that_came_while_there_was_no_broker(self):
        for word, kind in {"exit": "exited", "kill": "killed", "abort": "crashed"}.items():
            self.use()
            self.kill_broker()
            self.assertEqual(self.host.do(f"line line {word}"), "end")
            self.start_broker()
            self.assertEqual(self.host.event(), f"interrupted use {kind}")
        self.assertTrue(self.host.nothing_more())

    def test_nothing_is_told_of_an_end_that_the_host_wanted(self):
        self.use()
        self.host.do("invalidate use")
        self.unused()
        self.assertIn("activationEnded", self.host.do("connect use late"))
        self.use()
        self.host.do("drop use")
        self.unused()
        # One that is in use meanwhile tells of its end, and it alone.
        self.use()
        self.host.do("activate kept One")
        self.host.do("invalidate use")
        os.kill(self.instances()[0]["pid"], signal.SIGKILL)
        self.assertEqual(self.host.event(), "interrupted kept killed")
        self.assertTrue(self.host.nothing_more())

    def test_nothing_is_left_of_many_uses(self):
        def use():
            self.use()
            self.assertEqual(self.host.do("line line hello"), "hello")
            self.host.do("close line")
            self.host.do("drop use")

        use()
        self.unused()
        before = self.host.resources()
        for _ in range(50):
            use()
        self.unused()
        until(
            lambda: all(now <= then for now, then in zip(self.host.resources(), before)),
            f"no more descriptors and threads than {before}, now {self.host.resources()}")

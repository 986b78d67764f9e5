"""`extctl dev run`: a bundle in use while its author works on it."""

import json
import os
import pathlib
import plistlib
import select
import shlex
import shutil
import signal
import subprocess
import time
import unittest

from world import BUILD, DEADLINE, Doings, World, until

PRINTING = 'print("to output", flush=True); print("to errors", file=sys.stderr, flush=True)'
NAME = "org.example.Ext"


class Development:
    """A running `extctl dev run`."""

    def __init__(self, env, *arguments):
        self.process = subprocess.Popen(
            [BUILD / "extctl", "dev", "run", *map(str, arguments)], env=env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.texts = {self.process.stdout: "", self.process.stderr: ""}

    @property
    def output(self):
        return self.texts[self.process.stdout]

    @property
    def events(self):
        return self.texts[self.process.stderr]

    def read(self, timeout):
        ready, _, _ = select.select([stream for stream in self.texts if not stream.closed], [], [], timeout)
        data = {stream: os.read(stream.fileno(), 65536) for stream in ready}
        for stream, new in data.items():
            self.texts[stream] += new.decode()
        return any(data.values())

    def wait_for(self, text, count=1):
        end = time.monotonic() + DEADLINE
        while (self.output + self.events).count(text) < count:
            if time.monotonic() > end or (not self.read(1) and self.process.poll() is not None):
                raise AssertionError(f"'{text}' did not come, but {self.output!r} and {self.events!r}")

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(DEADLINE)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        while self.read(0):
            pass
        for stream in self.texts:
            stream.close()


class Develops(World):
    def setUp(self):
        super().setUp()
        self.put(self.make_host())
        self.start_broker()
        self.host_client = self.host()

    def develop(self, *arguments):
        development = Development(self.env, *arguments)
        self.addCleanup(development.close)
        return development

    def begin(self, *arguments, **options):
        bundle = self.make_bundle(**options)
        development = self.develop(bundle, *arguments)
        development.wait_for("Ctrl-C ends it")
        return bundle, development

    def refuse(self, *arguments):
        development = self.develop(*arguments)
        self.assertEqual(development.process.wait(DEADLINE), 1)
        while development.read(0):
            pass
        return development.events

    def use(self):
        _, lease, connection = self.activate(self.host_client, connect=True)
        self.echo(connection)
        return lease

    def test_it_is_used_marked_and_gone(self):
        bundle, development = self.begin(body=PRINTING)
        lease = self.use()
        development.wait_for("to output")
        development.wait_for("to errors")
        self.assertEqual(development.output, "to output\nto errors\n")
        self.assertRegex(self.extctl("list").stdout, rf"developer +{NAME}")
        self.assertRegex(self.extctl("show", NAME).stdout, r"state +developer\n +a developer's bundle")
        self.assertIn("a developer's bundle", self.extctl("explain", NAME).stdout)
        self.assertIn(f"{NAME} (developer)", self.extctl("ps").stdout)
        self.assertIn("to output", self.extctl("logs", NAME).stdout)
        self.assertEqual(self.extctl("history", NAME).stdout, "")
        self.assertIn("has started (process", development.events)
        self.assertIn("is ready", development.events)
        self.assertEqual(development.interrupt(), -signal.SIGINT)
        self.assertEqual(lease.recv(1), b"")
        until(lambda: not self.ask("ListInstances")["instances"], "the instance's end")
        self.assertNotIn(NAME, self.extctl("list").stdout)
        # Nobody asked to delete what the author builds.
        self.assertTrue((bundle / "main.py").exists())

    def test_what_it_gets_without_approval_is_said_in_plain_words(self):
        bundle = self.make_bundle()
        (bundle / "Entitlements.plist").write_bytes(plistlib.dumps({"home": True, "wayland": True}))
        development = self.develop(bundle)
        development.wait_for("Ctrl-C ends it")
        words = self.extctl("show", NAME).stdout
        for name in ("home", "wayland"):
            [line] = [line.partition(f"{name}: ")[2] for line in words.splitlines() if f"{name}: " in line]
            self.assertIn(f"    {name}: {line}\n", development.events)
        self.assertIn("it asks for, and gets without approval:", development.events)
        self.assertEqual(development.output, "")

    def test_its_end_is_told_with_the_reason(self):
        _, development = self.begin(body="def accept(p): sys.exit(7)")
        self.host_client.send("Activate", {"extension": NAME, "connect": True})
        development.wait_for("has ended: exited (status 7)")

    def test_what_is_built_anew_is_used_at_once(self):
        bundle, development = self.begin(body='print("first", flush=True)')
        self.use().close()
        development.wait_for("first")
        # As long as it runs, whoever asks for it shares it.
        development.wait_for("has ended: idle")
        program = (bundle / "main.py").read_text()
        (bundle / "main.py").write_text(program.replace("first", "second"))
        self.use().close()
        development.wait_for("second")
        development.wait_for("has ended: idle", 2)
        # A build that makes the directory anew.
        shutil.rmtree(bundle)
        until(lambda: self.state(bundle) is None, "the bundle's absence")
        self.make_bundle(body='print("third", flush=True)')
        self.wait_state(bundle, "enabled")
        self.use()
        development.wait_for("third")

    def test_a_fault_is_told_and_mended(self):
        bundle, development = self.begin()
        (bundle / "main.py").chmod(0o644)
        development.wait_for("invalid")
        self.assertIn("main.py", development.events)
        self.assertEqual(self.state(bundle), "invalid")
        (bundle / "main.py").chmod(0o755)
        self.wait_state(bundle, "enabled")
        self.use()

    def test_a_directory_that_comes_amid_other_changes_is_watched(self):
        bundle, development = self.begin()
        looks = Doings(self, bundle, Doings.ACCESS)
        (bundle / "first").touch()
        looks.wait()
        (bundle / "de.lproj").mkdir()
        info = plistlib.loads((bundle / "Info.plist").read_bytes())
        (bundle / "Info.plist").write_bytes(plistlib.dumps({**info, "CFBundleShortVersionString": "2.0"}))
        until(lambda: self.listed(str(bundle))[0]["version"] == "2.0", "the reading")
        (bundle / "de.lproj/InfoPlist.strings").write_text('"CFBundleName" = "')
        development.wait_for("InfoPlist.strings")

    def test_a_build_directory_behind_a_link(self):
        bundle = self.make_bundle(where=self.place / "real")
        (self.place / "debug").symlink_to("real")
        development = self.develop(self.place / "debug" / bundle.name)
        development.wait_for("Ctrl-C ends it")
        self.assertEqual(self.state(bundle), "enabled")
        self.use()

    def test_a_missing_point_is_told(self):
        bundle = self.make_bundle(info={"EXAppExtensionAttributes": {"EXExtensionPointIdentifier": "org.none.Point"}})
        development = self.develop(bundle)
        development.wait_for("scope: no host defines the extension point org.none.Point")

    def test_an_installed_one_is_never_displaced(self):
        bundle = self.make_bundle(where=self.place / "work")
        installed = self.put(self.make_bundle())
        until(lambda: self.state(installed), "the installed one")
        self.assertIn(f"{NAME} is installed at {installed}", self.refuse(bundle))
        self.assertIn(f"'extctl remove {installed}' first", self.refuse(bundle))
        self.assertIn("it lies in a root", self.refuse(installed))
        self.assertIn("is no bundle that can be read", self.refuse(self.place / "nothing"))
        self.assertIn("cannot be used as a developer's bundle", self.refuse(self.place))
        self.assertEqual(self.state(installed), "unapproved")
        shutil.rmtree(installed)
        until(lambda: self.state(installed) is None, "the removal")
        development = self.develop(bundle)
        development.wait_for("Ctrl-C ends it")
        self.put(self.make_bundle())
        development.wait_for("shadowed")
        self.assertIn("unapproved", self.state(installed))

    def test_what_is_inside_an_installed_one_is_no_developers(self):
        host = self.root / "Host.app"
        inner = self.put(self.make_bundle(), host / "Extensions")
        self.ask("Rescan", wait=True)
        self.assertEqual(self.state(inner), "unapproved")
        # Nothing tells who it is until it can be read.
        info = (inner / "Info.plist").read_bytes()
        (inner / "Info.plist").write_bytes(b"")
        self.ask("Rescan", wait=True)
        self.assertEqual(self.state(inner), "invalid")
        self.assertIn("it lies in a root", self.refuse(inner))
        (inner / "Info.plist").write_bytes(info)
        self.ask("Rescan", wait=True)
        self.assertEqual(self.state(inner), "unapproved")

    def test_json_is_one_object_a_line(self):
        development = self.develop(self.make_bundle(), "--json")
        development.wait_for("found")
        self.use().close()
        development.wait_for('"event":"ended"')
        events = [json.loads(line) for line in development.output.splitlines()]
        self.assertEqual([event["event"] for event in events], ["found", "started", "ready", "ended"])
        self.assertTrue(events[0]["extensions"][0]["developer"])

    def test_the_broker_s_end_is_told(self):
        _, development = self.begin()
        self.stop_broker()
        development.wait_for("the broker has ended")
        self.assertNotEqual(development.process.wait(DEADLINE), 0)

    def test_a_broker_that_starts_anew_ends_what_runs(self):
        self.begin(body='print("alive", flush=True)')
        lease = self.use()
        self.kill_broker()
        self.start_broker()
        self.assertEqual(lease.recv(1), b"")
        until(lambda: not self.ask("ListInstances")["instances"], "the instance's end")
        self.assertIsNone(next((item for item in self.listed() if item["identifier"] == NAME), None))

    # Debuggers

    def waiting(self, **options):
        """An instance that waits for a debugger, its process, and the host's call that waits for it."""
        bundle, development = self.begin("--wait", info={"Extensiond": {"StartTimeout": 1}}, **options)
        self.host_client.send("Activate", {"extension": NAME, "connect": True})
        development.wait_for("without a debugger: kill -CONT")
        process = int(development.events.rpartition("kill -CONT ")[2].split()[0])
        self.assertIn(f"gdb -p {process} ", development.events)
        return development, process

    def status(self, process):
        return (pathlib.Path(f"/proc/{process}/status").read_text().split("State:\t")[1])[0]

    def finish(self):
        reply = self.host_client.receive()
        lease, connection = self.host_client.take(), self.host_client.take()
        for socket in (lease, connection):
            self.addCleanup(socket.close)
            socket.settimeout(DEADLINE)
        self.assertIn("connectionFileDescriptor", reply)
        self.echo(connection)

    def test_it_waits_before_the_first_instruction_without_a_deadline(self):
        development, process = self.waiting(body=PRINTING)
        begun = time.monotonic()
        # The program itself, in the author's numbers, and nothing of it has run.
        self.assertEqual(self.status(process), "T")
        self.assertIn("python3", os.readlink(f"/proc/{process}/exe"))
        mapped = pathlib.Path(f"/proc/{process}/maps").read_text()
        self.assertNotIn("libc.so", mapped)
        until(lambda: time.monotonic() > begun + 1.5, "the time after its deadline")
        self.assertEqual(self.ask("ListInstances")["instances"][0]["state"], "starting")
        os.kill(process, signal.SIGCONT)
        self.finish()
        development.wait_for("to errors")

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_gdb_attaches_and_goes_on(self):
        self.debug("continue")

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_it_goes_on_when_gdb_lets_go(self):
        self.debug("detach")

    def debug(self, command):
        development, process = self.waiting()
        line = next(line for line in development.events.splitlines() if "gdb -p" in line)
        gdb = subprocess.Popen(
            [*shlex.split(line), "-nx", "-batch", "-ex", "info proc", "-ex", command], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            self.finish()
            development.interrupt()
            output, _ = gdb.communicate(timeout=DEADLINE)
            self.assertIn("/extension/main.py", output)
        finally:
            gdb.kill()
            gdb.communicate()

    def test_what_waits_ends_with_its_author(self):
        development, process = self.waiting()
        development.interrupt()
        until(lambda: not os.path.exists(f"/proc/{process}"), "the end of the stopped process")
        until(lambda: not self.ask("ListInstances")["instances"], "the instance's end")

    def test_what_has_no_program_to_wait_for_is_refused(self):
        bundle = self.make_bundle(info={"Extensiond": {"Runtime": "stdio"}}, program="#!/bin/sh\ncat\n")
        self.assertIn("leave out --wait", self.refuse(bundle, "--wait"))
        development = self.develop(bundle)
        development.wait_for("Ctrl-C ends it")
        self.use()


if __name__ == "__main__":
    unittest.main()

"""What waits for approval is shown by a notification server, on a bus of its own."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import unittest

from world import BUILD, DEADLINE, World, until

SERVER = pathlib.Path(__file__).with_name("notification-server")


class NotificationTests(World):
    def setUp(self):
        super().setUp()
        self.events = self.place / "events"
        self.events.touch()
        self.server = None

    def start_bus(self, name="bus"):
        address = f"unix:path={self.place}/{name}"
        self.bus = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--nosyslog", f"--address={address}"], env=self.env,
            stderr=subprocess.DEVNULL)
        self.addCleanup(self.end, self.bus)
        until(lambda: self.can_connect(self.place / name), "the bus")
        self.env["DBUS_SESSION_BUS_ADDRESS"] = address

    def start_server(self, *abilities):
        self.server = subprocess.Popen(
            [SERVER, self.events, *abilities], env=self.env, stdin=subprocess.PIPE, text=True)
        self.addCleanup(self.server.stdin.close)
        self.addCleanup(self.end, self.server)
        self.wait_for("ready")

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.wait()

    def heard(self, kind):
        lines = self.events.read_text().splitlines()
        return [event for event in map(json.loads, lines) if event["kind"] == kind]

    def wait_for(self, kind, count=1):
        return until(lambda: len(self.heard(kind)) >= count and self.heard(kind), f"{count} of {kind}")

    def tell_server(self, line):
        self.server.stdin.write(line + "\n")
        self.server.stdin.flush()

    def terminal(self, name="xdg-terminal-exec"):
        """A terminal that says what it was to show."""
        directory = self.place / "programs"
        directory.mkdir(exist_ok=True)
        program = directory / name
        program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {self.place}/shown.new; mv {self.place}/shown.new {self.place}/shown\n')
        program.chmod(0o755)
        self.env["PATH"] = f"{directory}:{os.environ['PATH']}"
        return program

    def put_ext(self, identifier="org.example.Ext", name="Ext"):
        return self.put(self.make_bundle(identifier, info={"CFBundleName": name}))

    def test_details_open_a_terminal_once(self):
        self.terminal()
        self.start_bus()
        self.start_server("actions", "markup", "manager")
        self.put(self.make_host())
        self.put_ext(name="<b>Bold</b> & co")
        self.start_broker()
        [event] = self.wait_for("notify")
        self.assertEqual(event["title"], "An extension waits for approval")
        self.assertEqual(
            event["body"],
            "&lt;b&gt;Bold&lt;/b&gt; &amp; co (org.example.Ext), for Host. It is not used before you approve it.")
        self.assertEqual(event["actions"], ["details", "Details"])
        self.pretend_to_click(event["number"])
        # Later on the same bus than what was pretended, so that it would be obeyed by now.
        self.put_ext("org.example.Second")
        self.wait_for("notify", 2)
        self.assertEqual(self.heard("start"), [])
        # One that was closed is not there to be clicked.
        self.tell_server("close 2")
        self.tell_server("click 2")
        for _ in range(2):
            self.tell_server(f"click {event['number']}")
        shown = until((self.place / "shown").exists, "the terminal") and (self.place / "shown").read_text().split("\n")
        self.assertTrue(shown[0].endswith("/extctl"), shown)
        self.assertEqual(shown[1:4], ["browse", "--", "org.example.Ext"])
        self.put_ext("org.example.Other")
        self.wait_for("notify", 3)
        self.assertEqual(len(self.heard("start")), 1)
        # A click decides nothing.
        self.assertEqual({item["state"] for item in self.listed() if item["path"].endswith(".appex")}, {"unapproved"})

    def pretend_to_click(self, number):
        """As any program on the bus can: to all, and to each one by name."""
        for destination in [[]] + [[f"--dest=:1.{index}"] for index in range(12)]:
            subprocess.run(
                ["dbus-send", "--session", "--type=signal", *destination, "/org/freedesktop/Notifications",
                 "org.freedesktop.Notifications.ActionInvoked", f"uint32:{number}", "string:details"],
                env=self.env, check=True)

    def test_where_the_session_has_a_screen_details_open_the_browser(self):
        self.terminal()
        self.env["WAYLAND_DISPLAY"] = "wayland-99"
        self.start_bus()
        self.start_server("actions", "manager")
        self.put(self.make_host())
        self.put_ext()
        self.start_broker()
        [event] = self.wait_for("notify")
        self.tell_server(f"click {event['number']}")
        [start] = self.wait_for("start")
        self.assertEqual(start["command"], [str(BUILD / "extensiond-browser"), "--", "org.example.Ext"])

    def test_a_terminal_that_is_named_is_used_with_its_option(self):
        self.env["TERMINAL"] = str(self.terminal("some-terminal"))
        self.start_bus()
        self.start_server("actions", "manager")
        self.put_ext()
        self.start_broker()
        [event] = self.wait_for("notify")
        self.tell_server(f"click {event['number']}")
        [start] = self.wait_for("start")
        self.assertEqual(start["command"][0], self.env["TERMINAL"])
        self.assertEqual(start["command"][1], "-e")
        self.assertEqual(start["command"][3:], ["browse", "--", "org.example.Ext"])

    def test_nothing_is_announced_twice(self):
        self.start_bus()
        self.start_server()
        self.put_ext()
        self.start_broker()
        [event] = self.wait_for("notify")
        # Neither actions nor anybody who could start a terminal.
        self.assertEqual(event["actions"], [])
        self.assertTrue(event["body"].endswith("\nTo look at it: extctl browse org.example.Ext"), event)
        self.stop_broker()
        self.start_broker()
        self.ask("Rescan", wait=True)
        self.put_ext("org.example.Other")
        events = self.wait_for("notify", 2)
        self.assertIn("org.example.Other", events[1]["body"])
        self.assertEqual(len(events), 2)

    def test_many_are_one(self):
        self.start_bus()
        self.start_server()
        for number in range(30):
            self.put_ext(f"org.example.Ext{number}")
        self.start_broker()
        [event] = self.wait_for("notify")
        self.assertEqual(event["title"], "30 extensions wait for approval")
        self.assertTrue(event["body"].endswith("\nTo look at it: extctl browse"))

    def closed(self, count):
        return [event["number"] for event in self.wait_for("closed", count)]

    def test_what_was_decided_elsewhere_is_taken_from_the_screen(self):
        self.start_bus()
        self.start_server()
        paths = {name: self.put_ext(f"org.example.{name}") for name in ("Approved", "Disabled", "Removed")}
        self.start_broker()
        numbers = {}
        for event in self.wait_for("notify", 3):
            numbers.update({name: event["number"] for name in paths if name in event["body"]})
        self.approve("org.example.Approved")
        self.assertEqual(self.closed(1), [numbers["Approved"]])
        self.ask("Disable", extension="org.example.Disabled")
        self.assertEqual(self.closed(2)[1:], [numbers["Disabled"]])
        shutil.rmtree(paths["Removed"])
        self.assertEqual(self.closed(3)[2:], [numbers["Removed"]])

    def test_one_that_speaks_of_several_stays_until_nothing_waits(self):
        self.start_bus()
        self.start_server()
        names = [f"org.example.Ext{number}" for number in range(5)]
        for name in names:
            self.put_ext(name)
        self.start_broker()
        self.wait_for("notify")
        for name in names[:-1]:
            self.approve(name)
        # One of its own comes and goes, later than what would have been closed by now.
        self.put_ext("org.example.Other")
        self.wait_for("notify", 2)
        self.approve("org.example.Other")
        self.assertEqual(self.closed(1), [2])
        self.approve(names[-1])
        self.assertEqual(self.closed(2), [2, 1])

    def test_a_later_broker_takes_it_from_the_screen_but_no_other_server_s(self):
        self.start_bus()
        self.start_server()
        self.put_ext()
        self.put_ext("org.example.Other")
        self.start_broker()
        self.wait_for("notify", 2)
        # It is stored where it is.
        with contextlib.closing(sqlite3.connect(self.home / ".local/state/extensiond/decisions.sqlite")) as database:
            until(lambda: database.execute("SELECT count(*) FROM shown").fetchone() == (2,), "both in the store")
        self.kill_broker()
        self.start_broker()
        self.approve("org.example.Ext")
        self.closed(1)
        self.end(self.server)
        self.events.write_text("")
        # This one counts from the start.
        self.start_server()
        self.approve("org.example.Other")
        self.put_ext("org.example.Third")
        self.wait_for("notify")
        self.approve("org.example.Third")
        self.assertEqual(self.closed(1), [1])

    def test_the_setting_switches_it_off(self):
        self.start_bus()
        self.start_server()
        self.put_ext()
        self.start_broker(EXTENSIOND_NOTIFY="no")
        # The decisions are read after what was announced, which it need not know.
        self.ask("History")
        with contextlib.closing(sqlite3.connect(self.home / ".local/state/extensiond/decisions.sqlite")) as database:
            self.assertEqual(database.execute("SELECT name FROM sqlite_schema WHERE name = 'announced'").fetchall(), [])
        self.stop_broker()
        # What was not announced then is announced now.
        self.start_broker()
        self.assertEqual(len(self.wait_for("notify")), 1)

    def assert_serves(self):
        path = self.put_ext("org.example.Late")
        self.ask("Rescan", wait=True)
        self.wait_state(path, "unapproved")

    def test_no_bus(self):
        self.put_ext()
        self.env["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={self.place}/nothing"
        self.start_broker()
        self.assert_serves()
        # It comes later, as in a session that begins.
        self.start_bus("nothing")
        self.start_server()
        self.wait_for("notify")

    def test_a_bus_that_says_nothing_is_in_nobodys_way(self):
        silent = socket.socket(socket.AF_UNIX)
        self.addCleanup(silent.close)
        silent.bind(str(self.place / "silent"))
        silent.listen()
        self.env["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={self.place}/silent"
        self.put_ext()
        self.start_broker()
        silent.settimeout(DEADLINE)
        connection, _ = silent.accept()
        self.addCleanup(connection.close)
        self.assert_serves()
        # It dies in the midst of it.
        connection.close()
        self.ask("Rescan", wait=True)
        self.assertIsNone(self.broker.poll())

    def test_a_bus_that_dies_is_connected_to_again(self):
        self.start_bus()
        self.start_server()
        self.put_ext()
        self.start_broker()
        self.wait_for("notify")
        self.end(self.server)
        self.end(self.bus)
        (self.place / "bus").unlink(missing_ok=True)
        self.start_bus()
        self.events.write_text("")
        self.start_server()
        self.put_ext("org.example.Other")
        [event] = self.wait_for("notify")
        self.assertIn("org.example.Other", event["body"])

    def test_a_server_that_dies_when_it_is_asked_is_no_reason_not_to_tell(self):
        self.start_bus()
        self.start_server("dies")
        self.put_ext()
        self.start_broker()
        self.wait_for("asked")
        self.assert_serves()
        self.events.write_text("")
        self.start_server()
        self.assertIn("org.example.Ext)", self.wait_for("notify")[0]["body"])

    def test_a_server_that_hangs_is_in_nobodys_way(self):
        self.start_bus()
        self.start_server()
        self.server.send_signal(signal.SIGSTOP)
        calls = self.place / "calls"
        with open(calls, "wb") as file:
            monitor = subprocess.Popen(
                ["dbus-monitor", "--session", "type=method_call,interface=org.freedesktop.Notifications"], env=self.env,
                stdout=file)
        self.addCleanup(self.end, monitor)
        # Its own name, which it is told once it listens.
        until(lambda: b"NameAcquired" in calls.read_bytes(), "the monitor")
        self.put_ext()
        self.start_broker()
        until(lambda: b"member=GetCapabilities" in calls.read_bytes(), "the broker's question")
        self.assert_serves()

    def test_an_ephemeral_broker_announces_nothing(self):
        self.start_bus()
        self.start_server()
        self.put_ext()
        subprocess.run(
            [BUILD / "extensiond", "--ephemeral", self.root, "--", BUILD / "extctl", "rescan"], env=self.env,
            check=True, timeout=DEADLINE, capture_output=True)
        self.start_broker()
        self.assertEqual(len(self.wait_for("notify")), 1)


if __name__ == "__main__":
    unittest.main()

"""extensiond-browser: people look through extensions and decide about them in a window."""

import subprocess
import unittest

from test_gtk_host import Screen
from world import BUILD, World, until


class Browser(World):
    def show(self, *arguments):
        self.put(self.make_host())
        self.put(self.make_bundle(info={"CFBundleName": "First"}))
        self.put(self.make_bundle("org.example.Other", info={"CFBundleName": "Second"}))
        self.start_broker()
        self.screen = Screen(self)
        self.program = subprocess.Popen(
            [BUILD / "extensiond-browser", *arguments], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**self.env, "DISPLAY": self.screen.name, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo"})
        self.addCleanup(self.program.wait)
        self.addCleanup(self.program.kill)
        self.focus("^Extensions$")

    def focus(self, name):
        self.screen.do("search", "--sync", "--onlyvisible", "--name", name, "windowfocus", "--sync")

    def windows(self, name):
        found = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", name], env=self.screen.env, capture_output=True)
        return found.stdout.split()

    def becomes(self, identifier, state):
        until(lambda: self.listed(identifier)[0]["state"] == state, f"{identifier}: {state}")

    def press_switch(self):
        """The first row's, where it is there already."""
        until(lambda: self.screen.colour(5, 5) not in ("#000000", "#ffffff"), "the first row, which is chosen")
        self.screen.click(375, 25)

    def test_an_extension_is_approved_and_disabled_by_its_switch(self):
        self.show()
        self.press_switch()
        self.focus("^Approve First")
        self.becomes("org.example.Ext", "unapproved")
        # Cancel has the focus; the other button is next, but takes nothing in its first second.
        self.screen.do("key", "Tab")
        until(lambda: (self.screen.do("key", "space"),
                       self.listed("org.example.Ext")[0]["state"] == "enabled")[1], "its approval")
        self.assertEqual(self.listed("org.example.Other")[0]["state"], "unapproved")
        # What is enabled does not wait any more, and stands behind what does.
        self.screen.do("key", "Escape")
        self.focus("^Extensions$")

    def test_whoever_cancels_approves_nothing(self):
        self.show()
        self.press_switch()
        self.focus("^Approve First")
        self.screen.do("key", "space")
        until(lambda: not self.windows("^Approve"), "the end of the question")
        self.assertEqual(self.listed("org.example.Ext")[0]["state"], "unapproved")

    def test_what_is_decided_elsewhere_is_seen_and_undone_here(self):
        self.show("--host", "org.example.Host", "org.example.Other")
        self.focus("^Extensions$")
        for name in ("Ext", "Other"):
            self.assertEqual(self.extctl("approve", "--yes", f"org.example.{name}").returncode, 0)
        self.assertEqual(self.extctl("approve", "--yes", "org.example.Host").returncode, 0)
        # Its colour is that of a switch that is on.
        until(lambda: self.screen.colour(362, 25) == self.screen.colour(362, 75) != "#ffffff", "two switches that are on")
        self.screen.click(375, 25)
        self.becomes("org.example.Ext", "disabled")

    def test_without_a_broker_or_a_screen_it_says_so(self):
        environment = {key: value for key, value in self.env.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
        done = subprocess.run([BUILD / "extensiond-browser"], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 69)
        self.assertIn("use 'extctl browse'", done.stderr)
        done = subprocess.run([BUILD / "extensiond-browser", "--host"], env=environment, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (64, "extensiond-browser: --host needs a name; see --help\n"))


if __name__ == "__main__":
    unittest.main()

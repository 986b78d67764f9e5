"""A GTK 4 host in Python shows extensions: what the person sees and does, on an X server of the test's own."""

import os
import pathlib
import signal
import subprocess
import unittest

from test_preview import WINDOW

from world import BUILD, DEADLINE, World, until

HOST = pathlib.Path(__file__).resolve().parents[2] / "Sources/Examples/python-gtk-host/host.py"
INTROSPECTION = HOST.parents[2] / "CSceneView/introspection"
BLUE, GREEN = "#336699", "#339933"
# It turns green when it was typed into.
TURNS = WINDOW.replace("def activate", """def turn(entry):
    if entry.get_text().endswith("!"):
        style.load_from_data(b"window { background: #339933; }")
def activate""").replace("    style = Gtk", "    global style\n    style = Gtk").replace(
    "    window.set_child", "    entry.connect('changed', turn)\n    window.set_child")
# A list that is longer than the window is high.
CHOICE = """
import gi
gi.require_version("Gtk", "4.0")
from gi.repository import Gtk
def activate(app):
    window = Gtk.ApplicationWindow(application=app)
    choice = Gtk.DropDown.new_from_strings([str(n) for n in range(10)])
    choice.set_valign(Gtk.Align.START)
    choice.connect("notify::selected", lambda c, _: print("CHOSEN", c.get_selected(), flush=True))
    window.set_child(choice)
    window.present()
app = Gtk.Application(flags=1 << 5)
app.connect("activate", activate)
app.run([])
"""
# The same host with an entry of its own below the scene.
BESIDE = HOST.read_text().replace("window = Gtk.Window(", """entry = Gtk.Entry()
entry.connect("changed", lambda e: print("HOST", e.get_text(), flush=True))
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
box.append(view)
box.append(entry)
window = Gtk.Window(""").replace("child=view", "child=box")


class Screen:
    """Xvfb, and a hand on its mouse and keyboard."""

    def __init__(self, test):
        reading, writing = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", "800x600x24", "-nolisten", "tcp"],
            pass_fds=[writing], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writing)
        test.addCleanup(self.server.wait)
        test.addCleanup(self.server.kill)
        with os.fdopen(reading) as number:
            self.name = f":{number.readline().strip()}"
        self.env = {**os.environ, "DISPLAY": self.name}

    def do(self, *steps):
        return subprocess.run(
            ["xdotool", *map(str, steps)], env=self.env, capture_output=True, text=True, timeout=DEADLINE, check=True).stdout

    def click(self, x, y):
        self.do("mousemove", x, y, "click", 1)

    def colour(self, x, y):
        """As it is seen, '#rrggbb'."""
        done = subprocess.run(
            ["import", "-window", "root", "-crop", f"1x1+{x}+{y}", "-depth", "8", "rgb:-"], env=self.env,
            capture_output=True, timeout=DEADLINE, check=True)
        return "#" + done.stdout.hex()


class GTKHost(World):
    environment = {"EXTENSIOND_SETTLE_MS": "0"}

    @classmethod
    def setUpClass(cls):
        cls.library = BUILD / "introspection"
        subprocess.run([INTROSPECTION, BUILD, cls.library], check=True, timeout=DEADLINE)

    def show(self, program="#!/usr/bin/python3\n" + TURNS, host=None, runtime="wayland", scene=()):
        self.ready(
            host={"point": {"UserInterface": True}}, program=program, info={"Extensiond": {"Runtime": runtime}})
        self.screen = Screen(self)
        self.said = self.place / "said"
        with open(self.said, "wb") as output:
            self.program = subprocess.Popen(
                ["/usr/bin/python3", *(["-c", host] if host else [HOST]), "org.example.Host", "org.example.Ext", *scene], stdin=subprocess.DEVNULL,
                stdout=output, stderr=output,
                env={**self.env, "DISPLAY": self.screen.name, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo",
                     "GI_TYPELIB_PATH": str(self.library), "LD_LIBRARY_PATH": str(self.library)})
        self.addCleanup(self.program.wait)
        self.addCleanup(self.program.kill)
        self.hears("did activate")
        self.screen.do("search", "--sync", "--onlyvisible", "--name", "^Host$", "windowfocus", "--sync")

    def hears(self, text, count=1):
        until(lambda: self.said.read_text().count(text) == count or self.program.poll() is not None, f"'{text}'")
        self.assertIsNone(self.program.poll(), self.said.read_text())

    def sees(self, colour, x, y):
        until(lambda: self.screen.colour(x, y) == colour, f"{colour} at {x}, {y}")

    def printed(self, text):
        until(lambda: text in self.extctl("logs", "org.example.Ext").stdout, f"'{text}' in the extension's output")

    def extension(self):
        """The process, as 'extctl ps' has it."""
        lines = self.extctl("ps").stdout.splitlines()
        return int(lines[1].split()[lines[0].split().index("PROCESS")])

    def test_it_is_shown_typed_into_and_resized(self):
        self.show()
        self.sees(BLUE, 200, 200)
        self.screen.click(100, 17)
        self.screen.do("type", "hiH!")
        self.printed("TEXT hiH!")
        # What has changed is seen, without a change of the size: the program is another colour when it was typed into.
        self.sees(GREEN, 200, 200)
        self.screen.do("search", "--name", "^Host$", "windowsize", "--sync", 600, 450)
        self.sees(GREEN, 580, 430)

    def test_a_killed_extension_leaves_a_placeholder_and_comes_again(self):
        self.show()
        self.sees(BLUE, 200, 200)
        os.kill(self.extension(), signal.SIGKILL)
        self.hears("will deactivate: the extension has gone")
        until(lambda: self.screen.colour(200, 200) != BLUE, "the placeholder")
        self.screen.click(200, 150)
        self.hears("did activate", 2)
        self.sees(BLUE, 200, 200)

    def test_a_popup_is_larger_than_the_view(self):
        self.show("#!/usr/bin/python3\n" + CHOICE)
        self.screen.click(60, 17)
        # The tenth of ten: far below the window's edge, which is at 300.
        until(lambda: self.screen.colour(60, 330) not in ("#000000", BLUE), "the list below the window")
        self.screen.do("key", "End", "Return")
        self.printed("CHOSEN 9")
        until(lambda: self.screen.colour(60, 330) == "#000000", "the end of the list")

    def test_keys_go_in_with_tab_and_out_with_f6(self):
        self.show(host=BESIDE)
        self.screen.click(200, 285)
        self.screen.do("key", "Tab", "type", "in")
        self.printed("TEXT in")
        # Tab is the extension's own: it marks the text of its only entry.
        self.screen.do("key", "Tab", "key", "F6", "type", "out")
        self.hears("HOST out")
        self.assertNotIn("TEXT ino", self.extctl("logs", "org.example.Ext").stdout)
        self.screen.do("key", "shift+Tab", "type", "!")
        self.printed("TEXT !")

    def test_tab_goes_through_an_extension_that_uses_the_sdk(self):
        self.show((BUILD / "gtk-extension").read_bytes(), BESIDE, "varlink", ["Switch"])
        self.screen.click(200, 285)

        def leaves(key, text):
            """In at one of its two buttons, which take no letters, and out beyond the other to the host's entry."""
            self.screen.do("key", key, "key", key, "key", key)
            until(lambda: (self.screen.do("type", text), f"{text}\n" in self.said.read_text())[1], f"'{text}' in the host")

        leaves("Tab", "f")
        leaves("shift+Tab", "b")
        leaves("Tab", "g")

    def test_text_is_copied_both_ways(self):
        self.show(host=BESIDE)
        self.screen.click(100, 17)
        self.screen.do("type", "one")
        self.screen.do("key", "ctrl+a", "key", "ctrl+c")
        self.printed("TEXT one")
        self.screen.click(200, 285)
        until(lambda: (self.screen.do("key", "ctrl+a", "key", "ctrl+v"), "HOST one" in self.said.read_text())[1], "'one'")
        self.screen.do("type", "two")
        self.screen.do("key", "ctrl+a", "key", "ctrl+c")
        self.hears("HOST onetwo")
        self.screen.click(100, 17)
        until(lambda: (self.screen.do("key", "ctrl+a", "key", "ctrl+v"),
                       "TEXT onetwo" in self.extctl("logs", "org.example.Ext").stdout)[1], "'onetwo'")

    def test_a_preview_has_a_window(self):
        self.put(self.make_host(point={"UserInterface": True}))
        path = self.make_bundle(program="#!/usr/bin/python3\n" + WINDOW, info={"Extensiond": {"Runtime": "wayland"}})
        self.start_broker()
        screen = Screen(self)
        self.said = self.place / "said"
        with open(self.said, "wb") as output:
            self.program = subprocess.Popen(
                [BUILD / "extctl", "preview", path, "--size", "500x200"], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env={**self.env, "DISPLAY": screen.name, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo"})
        self.addCleanup(self.program.wait)
        self.addCleanup(self.program.kill)
        screen.do("search", "--sync", "--onlyvisible", "--name", "^a program$", "windowfocus", "--sync")
        until(lambda: screen.colour(480, 180) == BLUE, "the scene")
        screen.do("type", "hi")
        self.hears("TEXT hi")
        self.program.terminate()
        self.assertEqual(self.program.wait(DEADLINE), 0, self.said.read_text())


if __name__ == "__main__":
    unittest.main()

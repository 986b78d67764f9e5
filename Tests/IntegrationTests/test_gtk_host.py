"""A GTK 4 host in Python shows extensions: what the person sees and does, on an X server of the test's own."""

import os
import pathlib
import signal
import subprocess
import time
import unittest

from test_preview import WINDOW
from world import BUILD, DEADLINE, Doings, World, until

HOST = pathlib.Path(__file__).resolve().parents[2] / "Sources/Examples/python-gtk-host/host.py"
INTROSPECTION = HOST.parents[2] / "CSceneView/introspection"
BLUE, SIZE = "#336699", (400, 300)


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

    def show(self, program=WINDOW):
        self.ready(
            host={"point": {"UserInterface": True}}, program="#!/usr/bin/python3\n" + program,
            info={"Extensiond": {"Runtime": "wayland"}})
        self.screen = Screen(self)
        self.said = self.place / "said"
        with open(self.said, "wb") as output:
            self.program = subprocess.Popen(
                ["/usr/bin/python3", HOST, "org.example.Host", "org.example.Ext"], stdin=subprocess.DEVNULL,
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

    def instance(self):
        rows = self.ask("Processes")["processes"]
        return [row["pid"] for row in rows]

    def test_it_is_shown_typed_into_and_resized(self):
        self.show()
        self.sees(BLUE, 200, 200)
        self.screen.click(100, 17)
        self.screen.do("type", "hiH!")
        self.printed("TEXT hiH!")
        self.screen.do("search", "--name", "^Host$", "windowsize", "--sync", 600, 450)
        self.sees(BLUE, 580, 430)


if __name__ == "__main__":
    unittest.main()

"""`extctl preview` shows what real toolkits draw inside the sandbox, without a screen."""

import os
import struct
import unittest
import zlib

from test_display import SHOWN, BODY
from world import World

# A window of one colour that tells what happens to it. Its title is the scene's token, where there is one.
WINDOW = """
import os, sys
os.environ["GTK_THEME"] = "Adwaita"
import gi
gi.require_version("Gtk", "4.0")
from gi.repository import Gtk, Gdk
def activate(app):
    window = Gtk.ApplicationWindow(application=app, title=sys.argv[1] if len(sys.argv) > 1 else "a program")
    style = Gtk.CssProvider()
    style.load_from_data(b"window { background: #336699; }")
    Gtk.StyleContext.add_provider_for_display(Gdk.Display.get_default(), style, 900)
    entry = Gtk.Entry(valign=Gtk.Align.START)
    entry.connect("changed", lambda e: print("TEXT", e.get_text(), flush=True))
    window.set_child(entry)
    window.present()
app = Gtk.Application(flags=1 << 5)
app.connect("activate", activate)
app.run([])
"""
STEPS = """
# The entry has the keyboard as soon as the scene has.
wait shown
wait size 320 200
focus
type hiH
wait text TEXT hiH
resize 400 120
wait size 400 120
"""


def pixel(path, x, y):
    """Red, green and blue of a picture, and its size."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
    place, compressed = 8, b""
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert (depth, colour) == (8, 6), (depth, colour)
        if kind == b"IDAT":
            compressed += body
        place += length + 12
    raw, stride = zlib.decompress(compressed), width * 4
    above = bytearray(stride)
    for line in range(y + 1):
        start = line * (stride + 1)
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        for i in range(stride):
            left, up, corner = (row[i - 4] if i >= 4 else 0), above[i], (above[i - 4] if i >= 4 else 0)
            guess = left + up - corner
            nearest = min((left, up, corner), key=lambda v: (abs(guess - v), (left, up, corner).index(v)))
            row[i] = (row[i] + [0, left, up, (left + up) // 2, nearest][kind]) & 255
        above = row
    return tuple(above[x * 4:x * 4 + 3]), (width, height)


@unittest.skipUnless(os.path.exists("/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-4.0.typelib"), "needs gir1.2-gtk-4.0")
class PreviewTests(World):
    environment = {"EXTENSIOND_SETTLE_MS": "0"}

    def bundle(self, **options):
        self.put(self.make_host(point=SHOWN["point"]))
        path = self.make_bundle(**options)
        self.start_broker()
        return path

    def check_preview(self, path, *options):
        script = self.place / "steps"
        script.write_text(STEPS)
        picture = self.place / "scene.png"
        done = self.extctl(
            "preview", path, "--headless", "--size", "320x200", "--script", script, "--snapshot", picture, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(pixel(picture, 200, 90), ((0x33, 0x66, 0x99), (400, 120)))

    def test_a_program_that_knows_nothing_of_this_is_shown_typed_into_and_resized(self):
        path = self.bundle(
            program="#!/usr/bin/python3\n" + WINDOW, info={"Extensiond": {"Runtime": "wayland"}})
        self.check_preview(path)

    def test_an_extension_says_by_a_windows_title_which_scene_it_is(self):
        program = self.place / "bundles" / "window.py"
        body = BODY.replace("[%r]" % "/usr/bin/weston-simple-shm", "['/usr/bin/python3', '-c', WINDOW, p['activation']]")
        path = self.bundle(body=f"WINDOW = {WINDOW!r}\n" + body)
        self.check_preview(path, "--scene", "Main")
        self.assertFalse(program.exists())

    def test_a_step_that_fails_is_named_and_is_the_exit_status(self):
        path = self.bundle(
            program="#!/usr/bin/python3\n" + WINDOW, info={"Extensiond": {"Runtime": "wayland"}})
        script = self.place / "steps"
        script.write_text("wait shown\ndance\n")
        done = self.extctl("preview", path, "--headless", "--script", script)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("line 2, 'dance': there is no such step", done.stderr)

    def test_an_extension_without_an_interface_cannot_be_shown(self):
        self.put(self.make_host())
        path = self.make_bundle()
        self.start_broker()
        done = self.extctl("preview", path, "--headless")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("is for extensions without an interface", done.stderr)


if __name__ == "__main__":
    unittest.main()

"""ExtkSceneView in a host in C and in one in Vala, without a broker: what it does with odd programs, hosts and keyboards."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from installed import Installed, run
from test_gtk_host import BLUE, INTROSPECTION, Screen
from test_preview import WINDOW

from world import BUILD, DEADLINE, until

HERE = pathlib.Path(__file__).resolve().parent
HOSTILE = HERE.parent / "SceneTests/hostile.c"
PROTOCOLS = pathlib.Path("/usr/share/wayland-protocols/stable")
# What ends the connection, and what goes on.
ENDED = ["truncated", "huge-buffer", "viewport", "popup-loop", "garbage", "killed"]
SURVIVED = ["enormous", "far-geometry", "splash", "again"]
VALA = """
int main() {
    Gtk.init();
    var view = new Extk.SceneView();
    view.placeholder = new Gtk.Label("none");
    view.did_activate.connect(() => print("did activate\\n"));
    view.will_deactivate.connect((error) => print("will deactivate: %s\\n", error != null ? error.message : "as wanted"));
    try {
        view.show_scene(-1, "nobody", null);
    } catch (Extk.SceneError.UNKNOWN_DISPLAY error) {
        print("unknown display\\n");
    } catch (Error error) {
        print("%s\\n", error.message);
    }
    print("shown: %s\\n", view.shown.to_string());
    return 0;
}
"""
PYTHON = """
import gi
gi.require_version("Gtk", "4.0")
gi.require_version("Extk", "0")
from gi.repository import Extk, Gtk
Gtk.init()
view = Extk.SceneView(placeholder=Gtk.Label(label="none"), tint=255)
print(view.get_placeholder().get_label(), view.props.tint)
"""


class GTKView(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="view-"))
        cls.addClassCleanup(shutil.rmtree, cls.directory, ignore_errors=True)
        run(INTROSPECTION, BUILD, BUILD / "introspection")
        cls.prefix = Installed.prefix()
        cls.compiled(
            "view_host", [HERE / "view_host.c"], "-Werror", *Installed.flags("--cflags", "--libs", "extensionkit-gtk4"))
        codes = [HOSTILE]
        for name in "xdg-shell", "viewporter":
            description, code = PROTOCOLS / name / f"{name}.xml", cls.directory / f"{name}.c"
            header = cls.directory / f"{name}-client-protocol.h"
            subprocess.run(["wayland-scanner", "client-header", description, header], check=True)
            subprocess.run(["wayland-scanner", "private-code", description, code], check=True)
            codes.append(code)
        cls.compiled("hostile", codes, "-lwayland-client")

    @classmethod
    def compiled(cls, name, sources, *options):
        subprocess.run(
            ["cc", "-O1", "-Wall", "-I", cls.directory, "-o", cls.directory / name, *sources, *options], check=True,
            timeout=DEADLINE)

    def host(self, **more):
        self.screen = Screen(self)
        self.environment = {
            **self.screen.env, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GTK_IM_MODULE": "gtk-im-context-simple",
            "LD_LIBRARY_PATH": str(self.prefix / "lib"), "XDG_RUNTIME_DIR": str(self.directory), "HOME": str(self.directory),
            "GTK_A11Y": "none", "LC_ALL": "C.UTF-8", "GSETTINGS_BACKEND": "memory",
            "DBUS_SESSION_BUS_ADDRESS": "disabled:", **more}
        self.said = self.directory / f"said-{self.id()}"
        with open(self.said, "wb") as output:
            self.process = subprocess.Popen(
                [self.directory / "view_host"], stdin=subprocess.PIPE, stdout=output, stderr=output, env=self.environment,
                text=True)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        self.addCleanup(self.process.stdin.close)
        self.seen = 0
        self.hears("ready")

    def hears(self, *texts):
        """One of them after what was heard last."""
        def new():
            return self.said.read_text(errors="replace")[self.seen:]

        until(lambda: any(text in new() for text in texts) or self.process.poll() is not None, f"'{texts}'")
        found = [new().index(text) + len(text) for text in texts if text in new()]
        self.assertTrue(found, f"the host ended with {self.process.poll()}:\n{self.said.read_text(errors='replace')}")
        self.seen += min(found)

    def do(self, *orders):
        for order in orders:
            self.process.stdin.write(order + "\n")
            self.process.stdin.flush()
            self.hears(f"{order}: done")

    def shows(self, program):
        file = self.directory / "program.py"
        file.write_text(program)
        self.do(f"program /usr/bin/python3 {file}", "show")
        self.hears("did activate")
        self.screen.do("search", "--sync", "--onlyvisible", "--name", "^Host$", "windowfocus", "--sync")

    def ends_well(self):
        self.do("end")
        self.hears("ended")
        self.assertEqual(self.process.wait(DEADLINE), 0)

    def test_no_program_ends_its_host(self):
        self.host()
        self.do("fits")
        for attack in SURVIVED + ENDED:
            with self.subTest(attack):
                self.do(f"program {self.directory / 'hostile'} {attack}", "show")
                self.hears("will deactivate: the extension" if attack in ENDED else "tried")
                self.screen.do("mousemove", 5, 5, "click", 1, "mousemove", 60, 60, "click", 1, "key", "a")
                self.do("clear")
        self.ends_well()

    def test_handlers_may_do_anything(self):
        self.host()
        self.shows(WINDOW)
        # One scene after another, in the handler of the end.
        self.do("again", "clear")
        self.hears("did activate")
        self.do("remove")
        # Gone while it is told that there is something to see; let go of while it is.
        for order in "goes", "clears":
            self.do("new", order, "show")
            self.do("remove")
        self.ends_well()

    def test_a_view_goes_from_window_to_window(self):
        self.host()
        self.shows(WINDOW)
        self.do("move", "hide", "unhide", "back")
        until(lambda: self.screen.colour(200, 200) == BLUE, "the scene, back in its window")
        self.screen.click(100, 17)
        self.screen.do("type", "hi")
        self.hears("TEXT hi")
        # What is left of a view that is gone takes nothing any more.
        self.do("dispose")
        self.assertIn("refused: the view is gone", self.said.read_text())
        self.ends_well()

    def test_the_keyboard_is_the_hosts(self):
        self.host()
        subprocess.run(["setxkbmap", "de"], env=self.environment, check=True, timeout=DEADLINE)
        self.do("focus")
        self.shows(WINDOW)
        # The view has the focus since before there was a scene. The third level, and the fourth one.
        self.screen.do("key", "udiaeresis")
        self.hears("TEXT ü")
        self.screen.do("keydown", "ISO_Level3_Shift", "key", "q", "keydown", "shift", "key", "s", "keyup", "shift",
                       "keyup", "ISO_Level3_Shift")
        self.hears("TEXT ü@ẞ")
        # The host's input method composes.
        self.screen.do("key", "dead_acute", "key", "e")
        self.hears("TEXT ü@ẞé")
        # Another scene has the keyboard, too.
        self.do("clear", "show")
        self.hears("did activate")
        self.screen.do("key", "y")
        self.hears("TEXT y")
        self.ends_well()

    def test_twice_the_pixels(self):
        self.host(GDK_SCALE="2")
        self.shows(WINDOW.replace(
            "    window.present()",
            "    window.present()\n"
            "    window.add_tick_callback(\n"
            "        lambda w, _: print('SCALE', w.get_scale_factor(), flush=True) or w.get_scale_factor() < 2)"))
        until(lambda: "SCALE 2" in self.said.read_text(), "twice the pixels")
        until(lambda: self.screen.colour(700, 500) == BLUE, "the scene, twice as large")
        self.ends_well()

    def test_vala_and_python(self):
        source = self.directory / "host.vala"
        source.write_text(VALA)
        subprocess.run(
            ["valac", "--quiet", "--vapidir", self.prefix / "share/vala/vapi", "--pkg", "extensionkit-gtk4",
             "-o", self.directory / "vala", "-X", "-w", source], check=True, timeout=DEADLINE,
            env={**os.environ, **Installed.environment()})
        self.host()
        done = subprocess.run(
            [self.directory / "vala"], env=self.environment, capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(done.stdout, "unknown display\nshown: false\n", done.stderr)
        done = subprocess.run(
            ["/usr/bin/python3", "-c", PYTHON], capture_output=True, text=True, timeout=DEADLINE,
            env={**self.environment, "GI_TYPELIB_PATH": str(self.prefix / "lib/girepository-1.0")})
        self.assertEqual(done.stdout, "none 255\n", done.stderr)


if __name__ == "__main__":
    unittest.main()

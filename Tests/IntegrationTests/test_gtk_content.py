"""GTKContent in a real sandbox: an extension in Swift whose scenes are windows of one process, shown without a screen."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from test_display import SHOWN, DisplayWorld
from world import BUILD, DEADLINE

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
from compiler import gtk, objects, search, swiftc

# An extension that keeps the SDK's own loop.
WRONG = """
import CGTK
import ExtensionFoundation
import ExtensionKit
import ExtensionKitGTKContent

@main final class Wrong: AppExtension {
  init() {}
  @Bind var boundAppExtensionPoint: AppExtensionPoint { Identifier(host: "org.example.Host", name: "Point") }
  var mainLoop: (any ExtensionMainLoop)? { nil }
  var configuration: AppExtensionSceneConfiguration { AppExtensionSceneConfiguration(MainScene()) }
}

struct MainScene: AppExtensionScene {
  var body: some AppExtensionScene {
    PrimitiveAppExtensionScene(id: "Main") {
      GTKContent { _ in gtk_label_new("never seen") }
    } onConnection: { connection in
      connection.resume()
      return true
    }
  }
}
"""

# Question is scene 1, in blue; Switch is scene 2, in red.
BOTH = """
wait shown
wait size 320 200
wait colour 200 150 336699
scene 2
wait shown
wait colour 200 150 993333
"""


@unittest.skipUnless(os.path.exists("/usr/lib/x86_64-linux-gnu/libgtk-4.so.1"), "needs libgtk-4-1")
class WithoutItsLoop(DisplayWorld):
    def test_contents_that_cannot_be_made_say_why(self):
        source, program, script = self.place / "wrong.swift", self.place / "wrong", self.place / "steps"
        source.write_text(WRONG)
        options, linked = gtk()
        self.assertEqual(swiftc(
            "-swift-version", "6", "-parse-as-library", "-module-name", "Wrong", "-static-stdlib", *search(), *options,
            "-o", program, source, *objects(), *linked), "")
        self.put(self.make_host(**SHOWN))
        bundle = self.make_bundle(program=program.read_bytes())
        self.start_broker()
        script.write_text("wait text the scene Main cannot be shown: GLib's loop does not run")
        done = self.extctl("preview", bundle, "--headless", "--scene", "Main", "--script", script)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


@unittest.skipUnless(os.path.exists("/usr/lib/x86_64-linux-gnu/libgtk-4.so.1"), "needs libgtk-4-1")
class GTKContent(DisplayWorld):
    def setUp(self):
        super().setUp()
        self.ready(host=SHOWN, program=(BUILD / "gtk-extension").read_bytes())

    def show_both(self, *steps):
        """A host that shows both scenes and does the steps; returns the leases."""
        host = self.host()
        uses = [host.call("Activate", extension="org.example.Ext", scene=name) for name in ("Question", "Switch")]
        leases = [self.kept(host) for _ in uses]
        tokens = [use["activation"] for use in uses]
        _, _, display = self.connect_shown(host, tokens[0])
        script = self.place / "steps"
        script.write_text(BOTH + "\n".join(steps))
        with display, tempfile.TemporaryFile() as log:
            # The preview's descriptor 3, whatever this one's number is.
            process = subprocess.Popen(
                ["/bin/sh", "-c", f'exec 3<&{display.fileno()} "$@"', "preview", BUILD / "extensiond-preview",
                 "--token", tokens[0], "--token", tokens[1], "--size", "320x200", "--script", script],
                env=self.env, pass_fds=[display.fileno()], stdin=subprocess.DEVNULL, stderr=log)
            display.close()
            try:
                # GTK's first step waits for the compositor, and so this for both.
                _, _, none = self.connect_shown(host, tokens[1])
                self.assertIsNone(none)
                status = process.wait(DEADLINE)
            finally:
                process.kill()
                process.wait()
            log.seek(0)
            said = log.read().decode() + self.extctl("logs", "org.example.Ext").stdout
        self.assertEqual(status, 0, said)
        return leases

    def test_each_scene_shows_its_own_and_one_ends_alone(self):
        self.show_both(
            "scene 1", "end", "scene 2", "wait shown", "resize 400 250", "wait size 400 250", "wait colour 350 240 993333",
            "end")

    def test_a_window_that_is_closed_is_the_end_of_its_scene(self):
        self.show_both("close", "wait scene-ended", "scene 1", "wait shown", "resize 400 250", "wait size 400 250")

    def test_a_scene_that_was_hidden_is_shown_again(self):
        self.show_both(
            "click 20 15", "scene 1", "wait hidden", "scene 2", "click 20 15", "scene 1", "wait shown",
            "wait colour 200 150 336699", "wait size 320 200")

    def test_a_modal_dialog_leaves_the_other_scene_alone_and_ends_with_its_own(self):
        self.show_both(
            "scene 1", "click 20 15", "wait colour 160 100 33aa33", "scene 2", "click 20 15", "scene 1", "wait hidden",
            "scene 2", "click 20 15", "scene 1", "wait shown", "wait colour 160 100 33aa33", "end", "scene 2",
            "wait shown", "wait colour 200 150 993333")

    def test_the_host_s_tint_is_the_colour_of_what_is_suggested(self):
        self.show_both("tint 00aa55", "wait colour 5 50 00aa55", "tint", "wait colour 5 50 3584e4")

    def test_tab_goes_through_the_entries_and_out_both_ways(self):
        tab, back, press = ("key 15",), ("hold 42", "key 15", "release 42"), "key 57"
        self.show_both(
            # Backward to the last button, then to the first, which hides the other scene.
            "focus-in backward", *back, press, "scene 1", "wait hidden", "scene 2", *back, "wait focus-out backward",
            # In at the last, and then at the first, whichever had it.
            "focus-in backward",
            "focus-in forward", press, "scene 1", "wait shown", "scene 2", *tab, *tab, "wait focus-out forward")



if __name__ == "__main__":
    unittest.main()

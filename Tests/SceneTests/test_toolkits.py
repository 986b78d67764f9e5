"""Programs of several toolkits, without any change, as scenes. What they print is what they noticed of it."""
import unittest

from scene import HERE, SceneTest

PYTHON = "/usr/bin/python3"
COLOUR = "20a040"
GLOBALS = (HERE.parents[1] / "Sources/SceneCompositor/SceneCompositor+Globals.swift").read_text()
# GTK has no seat without, and foot does not start.
HAS_CLIPBOARD = "wl_data_device_manager_type" in GLOBALS


class Toolkit:
    """What all of them do. The widgets are at the same places in each."""

    click = ["click 60 40", "wait text button clicked"]
    type = ["click 60 100", "focus", "type hiH", "wait text text hiH"]
    shown = ["wait shown", "wait size 400 300", f"wait colour 300 70 {COLOUR}"]

    def test_it_is_shown_in_the_size_of_the_scene_and_follows_it(self):
        picture = self.directory / "picture.png"
        self.run_scene([*self.shown, "resize 500 350", "wait size 500 350", f"wait colour 300 70 {COLOUR}",
                        f"snapshot {picture}"], *self.command)
        head = picture.read_bytes()[:24]
        self.assertEqual((head[1:4], head[16:20], head[20:24]),
                         (b"PNG", (500).to_bytes(4), (350).to_bytes(4)))

    def test_it_is_sharp_where_pixels_are_dense(self):
        self.run_scene([*self.shown, *self.click], *self.command, scale=2)

    def test_it_is_clicked_and_typed_into(self):
        self.run_scene([*self.shown, *self.click, *self.type], *self.command)

    def test_it_is_hidden_and_shown_again(self):
        self.run_scene([*self.shown, "click 250 220", "wait text window hidden", "wait hidden", *self.shown, *self.click],
                       *self.command)

    def test_it_closes(self):
        self.run_scene([*self.shown, "close", "wait text window closed"], *self.command)


class Widgets(Toolkit):
    """Of those that have more than one window."""

    top_without_room = 100

    def test_a_list_opens_where_it_belongs_and_is_chosen_from(self):
        # Over the button or below it; above it where there is no room.
        for size, top in ("400x400", 100), ("400x300", self.top_without_room):
            with self.subTest(size):
                shown = [step.replace("400 300", size.replace("x", " ")) for step in self.shown]
                self.run_scene([*shown, "focus", "click 100 160", f"wait popup-in 0 {top} 60 100",
                                f"click popup {self.second}", "wait text chosen second", "wait no-popup"],
                               *self.command, size=size)

    def test_a_list_takes_the_keyboard_and_is_left_by_a_click_elsewhere(self):
        self.run_scene([*self.shown, "focus", "click 100 160", "wait popup", "key 108", "key 28",
                        "wait text chosen second", "wait no-popup", "click 100 160", "wait popup",
                        "click 380 280", "wait no-popup", *self.click], *self.command)

    def test_a_dialog_is_closed_before_its_window(self):
        printed = self.run_scene([*self.shown, "click 60 220", "wait text dialog opened", *self.covered,
                                  "close", "wait text window closed"], *self.command)
        self.assertLess(printed.index("dialog closed"), printed.index("window closed"))


class Qt5(Widgets, SceneTest):
    command = PYTHON, HERE / "toolkits/qt.py", "5"
    second = "40 35"
    covered = ["wait colour 200 150 4060c0"]


class Qt6(Widgets, SceneTest):
    command = PYTHON, HERE / "toolkits/qt.py", "6"
    second = "40 35"
    covered = ["wait colour 200 150 4060c0"]


@unittest.skipUnless(HAS_CLIPBOARD, "GTK wants a clipboard")
class GTK4(Widgets, SceneTest):
    command = PYTHON, HERE / "toolkits/gtk.py", "4.0"
    top_without_room = 0
    second = "60 60"
    covered = []


@unittest.skipUnless(HAS_CLIPBOARD, "GTK wants a clipboard")
class GTK3(Widgets, SceneTest):
    command = PYTHON, HERE / "toolkits/gtk.py", "3.0"
    second = "60 60"
    covered = []


class SDL2(Toolkit, SceneTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.command = [cls.compile(HERE / "toolkits/sdl.c", "-lSDL2")]


class Programs(SceneTest):
    """Those that others have written."""

    def test_subsurfaces(self):
        self.run_scene(["wait shown", "resize 500 400", "wait size 500 400"], "weston-subsurfaces")

    def test_a_program_that_has_its_own_size(self):
        self.run_scene(["wait shown", "wait size 200 200", "close", "wait ended"], "weston-flower")

    def test_other_demonstrations(self):
        for name in "cliptest", "dnd", "resizor", "scaler", "simple-damage", "smoke", "stacking", "transformed":
            with self.subTest(name):
                self.run_scene(["wait shown", "close", "wait ended"], f"weston-{name}")

    @unittest.skipUnless(HAS_CLIPBOARD, "foot wants a clipboard")
    def test_a_terminal(self):
        done = self.directory / "done"
        self.run_scene(["wait shown", "focus", f"type echo>{done};exit\n", "key 28", "wait ended"], "foot", "sh")
        self.assertTrue(done.exists())


if __name__ == "__main__":
    unittest.main()

"""Clients that break rules: hostile.c has the attacks. The host lives, its memory has a bound, and it is told one end."""
from scene import HERE, SceneTest

DEAF = "does not read what it is sent"
# Each attack that ends the connection, with what the host is told of it.
ENDED = {
    "truncated": "error accessing SHM buffer", "short-stride": "shorter than their pixels",
    "negative-stride": "invalid width, height or stride", "negative-size": "invalid width, height or stride",
    "huge-buffer": "invalid width, height or stride", "outside-pool": "invalid width, height or stride",
    "negative-geometry": "a window without size", "negative-minimum": "a negative size",
    "scale": "a scale of 2147483647", "viewport": "outside of the buffer",
    "surfaces": "more than 1024 surfaces", "regions": "more than 16384 objects",
    "rectangles": "more than 1024 rectangles", "frames": "more than 1024 frame callbacks",
    "registries": "more than 16384 objects", "positioners": "more than 16384 objects",
    "globals": "more than 256 globals", "keyboards": "more than 256 globals", "pools": "more than 4096 buffers",
    "buffers": "more than 4096 buffers", "windows": "more than 1024 windows", "popups": "more than 64 popups",
    "pixels": "more pixels than", "popup-without-parent": "a popup of nothing", "popup-of-itself": "a popup of nothing",
    "popup-loop": "a popup of nothing", "window-loop": "its own parent", "subsurface-loop": "a child that is something else",
    "subsurface-depth": "children deeper than 32", "after-destroy": "invalid object", "unconfigured": "before the first configure",
    "two-roles": "something else already", "serial": "an answer to no configure", "long-title": "invalid arguments|invalid method|by itself",
    "garbage": "invalid|by itself", "zero-length": ".", "deaf": DEAF, "killed": "by itself",
}
# Each one that must not.
SURVIVED = ["far-geometry", "enormous", "frames-of-the-dead", "surface-first", "no-role", "title"]
MOST = 64


class Hostile(SceneTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cls.compile(HERE / "hostile.c", "-lwayland-client", protocols=("xdg-shell", "viewporter"))

    def attack(self, name, *steps):
        return self.run_scene(steps, self.program, name, size="200x200")

    def assert_bounded(self, most=MOST):
        self.assertLess(self.peak(), most, "MiB")

    def test_each_attack_ends_the_connection_once_with_its_reason(self):
        for name, reason in ENDED.items():
            with self.subTest(name):
                self.attack(name, "wait ended")
                self.assertRegex(self.log, f"ended 1 time: .*({reason})")
                self.assert_bounded(700 if name == "pixels" else MOST)

    def test_what_is_only_odd_goes_on(self):
        for name in SURVIVED:
            with self.subTest(name):
                self.attack(name, "wait text tried", "repeat 20 move 5 5")
                self.assertNotIn("ended", self.log)
                self.assert_bounded()

    def test_a_stopped_program_is_flooded_and_goes_on(self):
        self.attack("stopped", "wait text stopping", "focus", "repeat 20000 move 5 5", "repeat 500 resize 90 90",
                    "repeat 500 resize 80 80", "wait text continued", "wait text tried", "move 6 6", "resize 70 70")
        self.assertNotIn("ended", self.log)
        self.assert_bounded()

    def test_keys_for_a_stopped_program_end_it(self):
        # Keys cannot be left out, so what waits has a bound instead.
        self.attack("stopped-for-ever", "wait text stopping", "focus", "repeat 4000 key 30", "wait ended")
        self.assertRegex(self.log, f"ended 1 time: .*{DEAF}")
        self.assert_bounded()

    def test_a_flood_leaves_time_for_the_rest(self):
        for name in "flood", "pixel-flood":
            with self.subTest(name):
                self.attack(name, "wait text tried", "repeat 100 move 5 5", "resize 100 100", "wait shown")
                self.assertNotIn("ended", self.log)
                self.assert_bounded(400)

    def test_windows_come_and_go(self):
        # The next window is the scene, and asked to have its size.
        self.attack("splash", "wait text tried", "wait size 60 60")
        self.attack("root-first", "wait text tried", "wait size 30 30")
        self.assertNotIn("not configured", self.attack("again", "wait text tried", "wait size 70 70"))

"""Programs are told how dense the pixels are, also when that changes."""
import unittest
from scene import HERE, SceneTest

CLIENTS = HERE / "clients"
PYTHON = "/usr/bin/python3"


class Scale(SceneTest):
    def test_a_client_is_told_of_each_scale(self):
        printed = self.run_scene(
            ["wait shown", "wait text FRACTION 180", "scale 2", "wait text FRACTION 240", "focus", "key 30",
             "wait text LEAVE"], PYTHON, CLIENTS / "scale.py", scale=1.5)
        words = printed.split("\n")
        self.assertEqual([word for word in words if "OUTPUT" in word], ["OUTPUT 2", "OUTPUT 2"])
        self.assertEqual([word for word in words if word in ("ENTER", "LEAVE")], ["ENTER", "LEAVE"])

    def test_toolkits_draw_as_dense_as_the_screen(self):
        for name in "gtk4.py", "gtk3.py":
            with self.subTest(name):
                self.run_scene(["wait shown", "wait text SCALE 1", "scale 1.5", "wait text SCALE 2",
                                "wait pixels 1280 800", "scale 3", "wait text SCALE 3", "wait pixels 1920 1200"],
                               PYTHON, CLIENTS / name, size="640x400")
        # Qt draws in the scale that it began with.
        for version in "5", "6":
            with self.subTest(f"Qt {version}"):
                self.run_scene(["wait shown", "wait pixels 1280 800"], PYTHON, CLIENTS / "qt.py", version,
                               size="640x400", scale=2)


if __name__ == "__main__":
    unittest.main()

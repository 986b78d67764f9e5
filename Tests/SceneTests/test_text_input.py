"""The host's input method writes into entries of programs, and knows what it needs for it."""
import unittest
from scene import HERE, SceneTest

CLIENTS = HERE / "clients"
PYTHON = "/usr/bin/python3"


class TextInput(SceneTest):
    def test_an_input_method_writes(self):
        for name in "gtk4.py", "gtk3.py":
            with self.subTest(name):
                self.run_scene(
                    ["wait shown", "wait no-text-input", "focus", "wait text-input", "compose ne", "enter neko",
                     "wait text TEXT neko", "wait text-input neko", "delete 2 0", "enter Ü", "wait text TEXT neÜ",
                     "wait text-input neÜ", "key 14", "wait text-input ne", "wait cursor 0 0 640 40", "unfocus",
                     "wait no-text-input", "focus", "wait text-input"],
                    PYTHON, CLIENTS / name, size="640x400")

    def test_long_texts_arrive_whole(self):
        text = "ü" * 5000
        printed = self.run_scene(["wait shown", "focus", "wait text-input", f"enter {text}", f"wait text {text}"],
                                 PYTHON, CLIENTS / "gtk4.py")
        self.assertIn(f"TEXT {text}\n", printed)


class Liveness(SceneTest):
    def test_a_client_that_does_not_answer_is_told_of_and_then_answers(self):
        self.run_scene(["wait shown", "ping", "wait text ASKED", "wait unresponsive", "focus", "key 30",
                        "wait responsive"], PYTHON, CLIENTS / "silent.py")

    def test_a_wish_for_attention_reaches_the_host_once(self):
        self.run_scene(["wait shown", "ping", "wait attention 1", "wait unresponsive", "wait attention 1"], PYTHON,
                       CLIENTS / "silent.py")


if __name__ == "__main__":
    unittest.main()

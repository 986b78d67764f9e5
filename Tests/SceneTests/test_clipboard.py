"""Text is copied and pasted between the host and programs, and not by those who should not."""
import shutil
import unittest
from scene import HERE, SceneTest

CLIENTS = HERE / "clients"
PYTHON = "/usr/bin/python3"
PASTE, COPY_ALL = ["hold 29", "key 47", "release 29"], ["hold 29", "key 30", "key 46", "release 29"]


class Toolkits(SceneTest):
    def copy_and_paste(self, name, *arguments):
        self.run_scene(
            ["wait shown", "focus", "clipboard from the host", *PASTE, "wait text TEXT from the host",
             "type , and back", "wait text TEXT from the host, and back", *COPY_ALL,
             "wait clipboard from the host, and back",
             # Its own, and then the host's again.
             "key 106", *PASTE, "wait text TEXT from the host, and backfrom the host, and back", *COPY_ALL,
             "wait clipboard from the host, and backfrom the host, and back", "clipboard new", "key 106", *PASTE, "wait text and backnew"], PYTHON, CLIENTS / name, *arguments)

    def test_gtk_4(self): self.copy_and_paste("gtk4.py")
    def test_gtk_3(self): self.copy_and_paste("gtk3.py")
    def test_qt_5(self): self.copy_and_paste("qt.py", "5")
    def test_qt_6(self): self.copy_and_paste("qt.py", "6")

    def test_what_is_marked_is_the_primary_selection(self):
        for name in "gtk4.py", "gtk3.py":
            with self.subTest(name):
                self.run_scene(
                    ["wait shown", "focus", "type marked", "wait text TEXT marked", "hold 29", "key 30",
                     "release 29", "wait primary marked", "primary host", "key 107", "click 300 15 middle",
                     "wait text TEXT markedhost"], PYTHON, CLIENTS / name, size="640x400")

    def test_a_button_of_gtk_4_is_clicked(self):
        self.run_scene(["wait shown", "click 320 67", "wait text CLICKED 1"], PYTHON, CLIENTS / "gtk4.py",
                       size="640x400")

    @unittest.skipUnless(shutil.which("foot"), "foot is not installed")
    def test_foot(self):
        pasted = self.directory / "pasted"
        self.run_scene(
            ["wait shown", "focus", "clipboard the host's", "hold 29", "hold 42", "key 47", "release 42",
             "release 29", "key 28", "wait ended"], "/usr/bin/foot", "sh", "-c", f'read -r x; echo "$x" >{pasted}')
        self.assertEqual(pasted.read_text(), "the host's\n")


class Policy(SceneTest):
    def attempt(self, mode, *steps):
        self.run_scene(["wait shown", *steps], PYTHON, CLIENTS / "selection.py", mode)

    def test_without_input_nothing_is_copied(self):
        self.attempt("thief", "wait text CANCELLED")
        self.attempt("thief", "focus", "wait text CANCELLED")

    def test_an_old_serial_copies_nothing(self):
        self.attempt("old", "focus", "key 30", "wait text CANCELLED")

    def test_the_hosts_text_is_for_who_has_the_keyboard(self):
        self.attempt("unfocused", "clipboard secret", "focus", "unfocus", "wait text READ 0")

    def test_a_drag_is_refused(self):
        self.attempt("drag", "focus", "click 10 10", "wait text CANCELLED")

    def test_too_much_text_is_refused(self):
        self.attempt("huge", "focus", "key 30", "wait text OFFERED", "ask", "wait text REFUSED")

    def test_a_client_that_does_not_read_makes_nobody_wait(self):
        self.attempt("blocking", "clipboard a text", "focus", "wait text ASKED", "clipboard another",
                     "wait text ASKED", "unfocus")

    def test_text_goes_into_pipes_alone(self):
        self.attempt("socket", "clipboard secret", "focus", "wait text READ 0")

    def test_a_reader_that_is_gone_does_not_kill_the_host(self):
        self.attempt("gone", "clipboard a text", "focus", "wait text ASKED", "ping", "wait responsive")


if __name__ == "__main__":
    unittest.main()

"""extctl browse on a terminal, as a person uses it."""

import signal
import subprocess
import unittest

from screen import Screen
from world import BUILD, World, until


class BrowseTests(World):
    def browse(self, *arguments, **options):
        screen = Screen([BUILD / "extctl", "browse", *arguments], self.env, **options)
        self.addCleanup(screen.close)
        return screen

    def put_ext(self, identifier="org.example.Ext", name="Ext", **info):
        return self.put(self.make_bundle(identifier, info={"CFBundleName": name, **info}))

    def test_a_person_reads_approves_and_quits(self):
        path = self.put_ext()
        self.start_broker()
        screen = self.browse()
        # What is further down may be drawn first.
        screen.wait(lambda text: "1 wait for you" in text and "unapproved   Ext" in text, "the list")
        screen.type("\r")
        screen.wait("May it be used?", "the gates")
        screen.type("a")
        screen.wait("Approve exactly this?", "the question")
        self.assertEqual(self.state(path), "unapproved")
        screen.type("y")
        screen.wait("approved Ext (org.example.Ext)", "the answer")
        self.assertEqual(self.state(path), "enabled")
        screen.wait("enabled      Ext", "the list")
        screen.type("q")
        self.assertEqual(screen.wait_end(), 0)
        self.assertTrue(screen.is_restored)

    def test_what_happens_is_seen_at_once(self):
        path = self.put_ext()
        self.start_broker()
        screen = self.browse()
        screen.wait("unapproved   Ext", "the extension")
        self.approve("org.example.Ext")
        screen.wait("enabled      Ext", "the approval")
        self.put_ext("org.example.Other", "Other")
        screen.wait("unapproved   Other", "another one")
        screen.type("/oth\r")
        screen.wait(lambda text: "1 with 'oth'" in text and "enabled" not in text, "the filter")
        screen.type("\x1b")
        screen.wait("enabled      Ext", "the end of the filter")
        screen.type("jd")
        screen.wait("Disable Ext (org.example.Ext)", "the question")
        screen.type("y")
        screen.wait("disabled     Ext", "the answer")
        self.assertEqual(self.state(path), "disabled")

    def test_of_what_changed_meanwhile_nothing_is_approved(self):
        path = self.put_ext()
        self.start_broker()
        screen = self.browse("--", "org.example.Ext")
        screen.wait("May it be used?", "the details")
        screen.type("a")
        screen.wait("y/N", "the question")
        old = self.listed("org.example.Ext")[0]["digest"]
        with open(path / "main.py", "a") as file:
            file.write("# more\n")
        self.ask("Rescan", wait=True)
        new = self.listed("org.example.Ext")[0]["digest"]
        self.assertNotEqual(old, new)
        screen.type("y")
        screen.wait(lambda text: "Nothing was approved" in text and "Press a" in text, "the refusal")
        self.assertIn(f"digest: {old} -> {new}", screen.text.replace("\n    ", ""))
        self.assertEqual(self.state(path), "unapproved")

    def test_a_publisher_is_approved_in_plain_words(self):
        key = self.place / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)

        def sign(bundle):
            said = self.extctl("sign", bundle, "--key", key)
            self.assertEqual(said.returncode, 0, said.stderr)

        self.put_ext("org.example.Plain", "Plain")
        signed = self.make_bundle("org.example.Signed", info={"CFBundleName": "Signed"})
        sign(signed)
        path = self.put(signed)
        self.start_broker()
        screen = self.browse("--", "org.example.Plain")
        screen.wait("May it be used?", "the details")
        screen.type("p")
        screen.wait("is not signed, so there is no publisher to approve", "the refusal")
        screen.type("qq")
        screen.wait_end()
        screen = self.browse("--", "org.example.Signed")
        screen.wait(lambda text: "May it be used?" in text and "p approve updates too" in text, "the details")
        screen.type("p")
        screen.wait(
            lambda text: "Approve this, and its updates by the same key?" in text
            and "as long as they ask for nothing more" in text.replace("\n", " "), "the question")
        self.assertEqual(self.state(path), "unapproved")
        screen.type("y")
        screen.wait("approved Signed (org.example.Signed), and its updates", "the answer")
        self.assertEqual(self.state(path), "enabled")
        # So are its updates.
        old = self.listed(str(path))[0]["digest"]
        with open(path / "main.py", "a") as file:
            file.write("# more\n")
        sign(path)
        until(
            lambda: [item["state"] for item in self.listed(str(path)) if item.get("digest") != old] == ["enabled"],
            "the update being approved")

    def test_small_and_other_sizes(self):
        self.put_ext(name="世界" * 30)
        self.start_broker()
        screen = self.browse(width=40, height=10)
        screen.wait("unapproved", "the list")
        screen.resize(100, 30)
        screen.wait(lambda text: "org.example.Ext" in text and "/ find" in text, "the wider list")

    def test_the_terminal_is_restored_after_signals(self):
        self.put_ext()
        self.start_broker()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            screen = self.browse()
            screen.wait("unapproved", "the list")
            self.assertFalse(screen.is_restored)
            screen.process.send_signal(number)
            self.assertEqual(screen.wait_end(), 128 + number)
            self.assertTrue(screen.is_restored)

    def test_the_terminal_is_restored_after_the_broker_died(self):
        self.put_ext()
        self.start_broker()
        screen = self.browse()
        screen.wait("unapproved", "the list")
        self.kill_broker()
        self.assertEqual(screen.wait_end(), 69)
        self.assertTrue(screen.is_restored)
        self.assertIn("extctl:", screen.text)

    def test_a_broker_that_hangs_keeps_nobody_from_quitting(self):
        self.put_ext()
        self.start_broker()
        screen = self.browse()
        screen.wait("unapproved", "the list")
        self.broker.send_signal(signal.SIGSTOP)
        self.addCleanup(self.broker.send_signal, signal.SIGCONT)
        screen.type("w")
        screen.wait("be used?", "the page")
        screen.type("qq")
        self.assertEqual(screen.wait_end(), 0)

    def test_a_name_cannot_command_the_terminal(self):
        # U+009B begins a sequence as ESC [ does, and XML allows it.
        self.put_ext(name="a\x9b2Jb\nenabled")
        self.start_broker()
        screen = self.browse()
        screen.wait("a\\u{9b}2Jb\\u{a}enabled", "the name")

    def test_where_there_is_no_terminal_it_says_so(self):
        self.start_broker()
        done = self.extctl("browse", stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 2)
        self.assertIn("this is none; use 'extctl list'", done.stderr)
        self.assertEqual(self.extctl("browse", "--json").returncode, 2)
        for name in ("dumb", "nonsense"):
            self.env["TERM"] = name
            screen = self.browse()
            self.assertEqual(screen.wait_end(), 2)
            self.assertTrue(screen.is_restored)
            self.assertIn("use 'extctl list'", screen.text.replace("\n", ""))


if __name__ == "__main__":
    unittest.main()

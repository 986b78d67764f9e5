"""Extensions that come back by the SDK's own doing."""

import os
import shutil
import signal

from probe import ENDING, ProbeWorld
from world import until


class Restarts(ProbeWorld):
    def begin(self, body=ENDING):
        self.ready(identifier="org.example.One", body=body, info={"CFBundleName": "One"})
        host = self.probe()
        host.do("monitor first")
        self.assertEqual(host.do("activate-again use One"), "ok")
        return host

    def end(self, host, word, kind):
        self.assertEqual(host.do("connect use line"), "ok")
        self.assertEqual(host.do(f"line line {word}"), "end")
        self.assertEqual(host.event(), f"interrupted use {kind}")

    def test_one_that_crashed_comes_back(self):
        host = self.begin()
        self.end(host, "abort", "crashed")
        self.assertEqual(host.event(), "back use")
        self.assertEqual(host.do("connect use line"), "ok")
        self.assertEqual(host.do("line line hello"), "hello")
        self.end(host, "kill", "killed")
        self.assertEqual(host.event(), "back use")
        host.do("drop use")
        self.unused()
        self.assertTrue(host.nothing_more())

    def test_it_is_given_up_when_it_crashes_too_often(self):
        host = self.begin()
        for _ in range(2):
            self.end(host, "abort", "crashed")
            self.assertEqual(host.event(), "back use")
        self.end(host, "abort", "crashed")
        self.assertEqual(host.event(), "lost use activationFailed quarantined")
        self.assertIn("activationEnded", host.do("connect use line"))
        self.unused()

    def test_it_stays_away_when_the_person_disables_it(self):
        host = self.begin()
        self.ask("Disable", extension="org.example.One")
        self.assertEqual(host.event(), "interrupted use disabled")
        self.assertEqual(host.event(), "lost use activationEnded disabled")

    def test_it_is_given_up_when_it_is_gone(self):
        host = self.begin()
        self.kill_broker()
        shutil.rmtree(self.root / "One.appex")
        self.start_broker()
        self.assertEqual(host.event(), "interrupted use removed")
        self.assertEqual(host.event(), "lost use activationEnded removed")

    def test_it_comes_back_when_the_broker_does(self):
        host = self.begin()
        self.assertEqual(host.do("connect use line"), "ok")
        self.kill_broker()
        self.assertEqual(host.do("line line abort"), "end")
        self.start_broker()
        self.assertEqual(host.event(), "interrupted use crashed")
        self.assertEqual(host.event(), "back use")
        self.assertEqual(host.do("connect use line"), "ok")
        self.assertEqual(host.do("line line hello"), "hello")

    def test_who_lets_go_while_it_is_away_is_done(self):
        host = self.begin()
        threads = host.resources()[1]
        for command in ("invalidate use", "drop use"):
            os.kill(self.instances()[0]["pid"], signal.SIGKILL)
            self.assertEqual(host.event(), "interrupted use killed")
            host.do(command)
            self.unused()
            until(lambda: host.resources()[1] < threads, "the end of its thread")
            self.assertEqual(host.do("activate-again use One"), "ok")
        self.assertTrue(host.nothing_more())

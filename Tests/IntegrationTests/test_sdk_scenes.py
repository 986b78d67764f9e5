"""The SDK's controller of a scene, with a real broker."""

from probe import ENDING, SCENES, ProbeWorld
from world import until


class SceneWorld(ProbeWorld):
    body = ENDING

    def setUp(self):
        super().setUp()
        self.ready(identifier="org.example.Ext", body=self.body, scenes=SCENES, info={"CFBundleName": "Ext"})
        self.host = self.probe()
        self.host.do("monitor first")


class Scenes(SceneWorld):
    def begin(self):
        self.host.do("scene it Ext/One")
        self.assertEqual(self.host.event(), "active it One")
        self.assertEqual(self.host.do("converse it line"), "ok")

    def end(self):
        self.assertEqual(self.host.do("line line exit"), "end")
        self.assertEqual(
            self.host.event(),
            "ended it One activationEnded: the extension has ended: exited (status 7)")

    def test_of_many_configurations_the_last_is_active(self):
        threads = self.host.resources()[1]
        for _ in range(5):
            self.host.do("scene it Ext/One Ext/Two none Ext/One Ext/Two Ext/One Ext/Two")
            self.assertEqual(self.host.event(), "active it Two")
            until(lambda: len(self.ask("ListActivations")["activations"]) == 1, "one activation")
            self.host.do("scene it Ext/One Ext/Two Ext/One none")
            self.assertEqual(self.host.event(), "ended it Two as wanted")
            self.assertTrue(self.host.nothing_more())
            # Each that is on its way has a thread.
            until(lambda: self.host.resources()[1] <= threads, "the end of what is on its way")
            self.unused()

    def test_an_end_leaves_a_placeholder_and_the_same_again_is_a_new_one(self):
        self.begin()
        self.end()
        self.assertEqual(self.host.do("state it"), "placeholder")
        self.assertIn("activationEnded", self.host.do("converse it line"))
        self.begin()
        # While it is active the same is nothing new.
        self.host.do("scene it Ext/One")
        self.assertEqual(self.host.do("line line hello"), "hello")
        self.host.do("dismiss it")
        self.unused()
        self.assertTrue(self.host.nothing_more())

    def test_a_delegate_begins_anew_while_it_is_told_of_the_end(self):
        self.begin()
        self.host.do("onend it again")
        self.end()
        self.assertEqual(self.host.event(), "active it One")
        self.assertEqual(self.host.do("converse it line"), "ok")
        self.assertEqual(self.host.do("line line hello"), "hello")

    def test_a_delegate_that_clears_is_told_once(self):
        self.begin()
        self.host.do("onend it clear always")
        self.end()
        self.assertEqual(self.host.do("state it"), "placeholder")
        self.begin()
        self.host.do("scene it Ext/Two")
        self.assertEqual(self.host.event(), "ended it One as wanted")
        self.assertEqual(self.host.event(), "active it Two")
        self.assertTrue(self.host.nothing_more())

    def test_what_cannot_begin_is_told(self):
        self.host.do("scene it Ext/Three")
        self.assertEqual(
            self.host.event(), "ended it Three sceneNotFound: there is no scene Three; it has: One, Two")
        self.assertEqual(self.host.do("state it"), "placeholder")


class ScenesThatEndAtOnce(SceneWorld):
    body = ENDING + """
whole = start
def start(p):
    whole(p)
    os._exit(7)
"""

    def test_each_is_told_of(self):
        self.host.do("scene it Ext/One")
        event = self.host.event()
        if event == "active it One":
            event = self.host.event()
        self.assertIn("exited", event)
        self.assertEqual(self.host.do("state it"), "placeholder")

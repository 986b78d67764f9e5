"""What Tab gives: names that the broker knows, and never a wait, an error or a broker."""

import contextlib
import signal
import socket
import subprocess

from world import BUILD, DEADLINE, World

BASH = """
source <(extctl completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_extctl
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Completion(World):
    def setUp(self):
        super().setUp()
        self.env["PATH"] = f"{BUILD}:{self.env['PATH']}"

    def tab(self, *words):
        done = subprocess.run(
            ["bash", "-c", BASH, "bash", "extctl", *words], env=self.env, capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_names_of_the_broker_are_completed_where_a_command_takes_them(self):
        self.ready()
        self.put(self.make_bundle("org.example.Other"))
        self.wait_state(self.root / "Other.appex", "unapproved")
        host = self.host("com.example.Connected")
        self.activate(host)
        instance = self.ask("ListInstances")["instances"][0]["id"]
        everything = ["org.example.Ext", "org.example.Host", "org.example.Other"]
        self.assertEqual([word for word in self.tab("show", "") if word[0] != "-"], everything)
        self.assertEqual(self.tab("approve", "org.example.O"), ["org.example.Other"])
        self.assertEqual(self.tab("activate", "org.example."), ["org.example.Ext", "org.example.Other"])
        self.assertEqual(self.tab("explain", "x", "--host", ""), ["com.example.Connected", "org.example.Host"])
        self.assertEqual(self.tab("explain", "x", "--host", "=", "com"), ["com.example.Connected"])
        self.assertEqual(self.tab("explain", "x", "--host", "="), ["com.example.Connected", "org.example.Host"])
        self.assertEqual(self.tab("points", "--interface", ""), ["org.example.Host.Point"])
        self.assertIn(instance, self.tab("stop", ""))
        self.assertEqual(self.tab("stop", instance[:-1]), [instance])
        for words in (["show", "./"], ["activate", "x", "--scene", ""], ["status", "org"]):
            self.assertEqual(self.tab(*words), [], "left to bash itself")

    def test_without_a_broker_nothing_happens(self):
        self.put(self.make_bundle())
        self.assertEqual(self.tab("show", "org"), [])
        self.assertEqual(self.tab("sho"), ["show"])
        self.assertFalse((self.run_directory / "extensiond").exists())
        del self.env["XDG_RUNTIME_DIR"]
        self.assertEqual(self.tab("show", "org"), [])

    def test_a_broker_that_ended_or_hangs_is_not_waited_for(self):
        self.ready()
        self.addCleanup(self.broker.send_signal, signal.SIGCONT)
        self.broker.send_signal(signal.SIGSTOP)
        self.assertEqual(self.tab("show", "org"), [])
        # Nobody takes these, and the next connection would wait.
        with contextlib.ExitStack() as waiting:
            with contextlib.suppress(BlockingIOError):
                while True:
                    client = waiting.enter_context(socket.socket(socket.AF_UNIX))
                    client.setblocking(False)
                    client.connect(str(self.run_directory / "extensiond/admin/io.extensiond.Admin"))
            self.assertEqual(self.tab("show", "org"), [])
        self.broker.send_signal(signal.SIGCONT)
        self.assertEqual(self.tab("show", "org.example.E"), ["org.example.Ext"])
        self.kill_broker()
        self.assertEqual(self.tab("show", "org"), [])
        self.assertFalse(self.can_connect(self.run_directory / "extensiond/admin/io.extensiond.Admin"))

"""The command: what it prints, and what it exits with."""

import json
import os
import pathlib
import plistlib
import signal
import subprocess

from world import BUILD, DEADLINE, World, until


class Command(World):
    def test_the_person_installs_approves_uses_and_removes(self):
        self.start_broker()
        self.assertEqual(self.extctl("install", self.make_host()).returncode, 0)
        installed = self.extctl("install", self.make_bundle(scenes=', "scenes": ["One"]'))
        self.assertIn("unapproved", installed.stdout)
        refused = self.extctl("connect", "org.example.Ext", input="x")
        self.assertEqual(refused.returncode, 3)
        self.assertIn("extctl approve org.example.Ext", refused.stderr)
        asked = self.extctl("approve", "org.example.Ext")
        self.assertEqual(asked.returncode, 2, "nobody can be asked")
        self.assertEqual(self.extctl("approve", "--yes", "org.example.Ext").returncode, 0)
        used = self.extctl("connect", "org.example.Ext", "--scene", "One", input="ping")
        self.assertEqual((used.returncode, used.stdout), (0, "ping"), used.stderr)
        self.assertEqual(self.extctl("connect", "org.example.Ext", "--scene", "Two", input="").returncode, 1)
        self.assertEqual(self.extctl("explain", "org.example.Ext").returncode, 0)
        self.assertEqual(self.extctl("remove", "--data", "org.example.Ext").returncode, 0)
        self.assertFalse((self.home / ".local/share/extensiond-containers/org.example.Ext").exists())
        self.assertEqual(self.extctl("show", "org.example.Ext").returncode, 1)

    def test_activate_holds_and_tells_the_end(self):
        self.ready()
        holder = subprocess.Popen(
            [BUILD / "extctl", "activate", "org.example.Ext"], env=self.env, stdout=subprocess.PIPE, text=True)
        self.addCleanup(holder.stdout.close)
        self.assertIn("activated", holder.stdout.readline())
        self.assertIn("org.example.Ext", self.extctl("ps").stdout)
        self.assertIn("org.example.Ext", self.extctl("connections").stdout)
        self.assertEqual(self.extctl("stop", "org.example.Ext").stdout, "1 ended\n")
        self.assertIn("stopping", holder.stdout.read())
        self.assertEqual(holder.wait(DEADLINE), 0)

    def test_every_listing_has_json_and_its_schema(self):
        self.ready()
        for words in (
            ["list"], ["show", "org.example.Ext"], ["explain", "org.example.Ext"], ["points"], ["hosts"], ["ps"],
            ["connections"], ["history"], ["status"], ["lint", "org.example.Ext"], ["rescan", "--wait"],
            ["logs", "org.example.Ext"], ["disable", "org.example.Ext"], ["reset", "org.example.Ext"],
            ["stop", "org.example.Ext"], ["doctor"],
        ):
            result = self.extctl(*words, "--json")
            self.assertEqual(json.loads(result.stdout)["schema"], 1, words)
        failed = self.extctl("show", "org.example.No", "--json")
        self.assertEqual((failed.returncode, json.loads(failed.stdout)["error"]["status"]), (1, 1))

    def test_a_broker_is_started_by_hand(self):
        listed = self.extctl("status", "--json")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        process = json.loads(listed.stdout)["pid"]
        self.addCleanup(lambda: until(lambda: not self.launcher_lives(), "the launcher's end"))
        self.addCleanup(lambda: until(lambda: not os.path.exists(f"/proc/{process}/fd"), "the broker's end"))
        self.addCleanup(os.kill, process, signal.SIGTERM)
        self.assertEqual(json.loads(self.extctl("status", "--json").stdout)["pid"], process)

    def test_what_is_not_understood(self):
        for words, said in (
            (["lsit"], "do you mean 'list'"), (["show"], "usage"), (["list", "--bogus"], "--bogus"), ([], "help")):
            result = self.extctl(*words)
            self.assertEqual(result.returncode, 2 if words else 0)
            self.assertIn(said, result.stderr + result.stdout)

    def test_control_characters_of_a_bundle_do_not_reach_the_terminal(self):
        bundle = self.make_bundle()
        info = plistlib.loads((bundle / "Info.plist").read_bytes())
        info["CFBundleName"] = "red \u001b[31m"
        (bundle / "Info.plist").write_bytes(plistlib.dumps(info, fmt=plistlib.FMT_BINARY))
        path = self.put(bundle)
        self.start_broker()
        for command in ("list", "show"):
            self.assertNotIn("\x1b", self.extctl(command, path).stdout)
        self.assertIn("red", self.extctl("show", path).stdout)

    def test_the_pages_of_the_manual_are_made(self):
        self.assertIn(".TH EXTCTL 1", self.extctl("manual").stdout)
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("approve", self.extctl("completion", shell).stdout)
        done = subprocess.run(["bash", "-n"], input=self.extctl("completion", "bash").stdout, text=True)
        self.assertEqual(done.returncode, 0)

    def test_generated_pages_are_current(self):
        docs = pathlib.Path(__file__).resolve().parents[2] / "docs"
        self.assertEqual((docs / "extctl.md").read_text(), self.extctl("manual", "--markdown").stdout)
        limits = subprocess.run([BUILD / "extensiond", "--limits"], capture_output=True, text=True, timeout=DEADLINE)
        self.assertIn("| messageBytes |", limits.stdout)
        self.assertEqual((docs / "limits.md").read_text(), limits.stdout)

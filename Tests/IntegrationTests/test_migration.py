"""Decisions from one machine to another, and what is left of extensions that are gone."""

import json
import os
import shutil
import sqlite3

from world import World, until


class Migration(World):
    def container(self):
        return self.home / ".local/share/extensiond-containers/org.example.Ext"

    def test_export_and_import_by_files(self):
        self.ready()
        text = self.extctl("export").stdout
        self.assertEqual([row["identifier"] for row in json.loads(text)["decisions"]], ["org.example.Ext"])
        file = self.place / "decisions.json"
        file.write_text(text)
        self.extctl("reset", "org.example.Ext")
        self.assertEqual(self.state(self.root / "Ext.appex"), "unapproved")
        self.assertIn("imported 1 of 1", self.extctl("import", str(file)).stdout)
        self.kill_broker()
        self.start_broker()
        self.assertEqual(self.state(self.root / "Ext.appex"), "enabled")
        bad = self.extctl("import", input="[1]", check=False)
        self.assertEqual(bad.returncode, 2)
        self.assertIn("extctl export", bad.stderr)

    def test_forget_removes_what_was_stored_and_decided(self):
        self.ready()
        host = self.host()
        lease = self.activate(host)[1]
        self.assertTrue(self.container().exists())
        refused = self.extctl("forget", "org.example.Ext", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("still there", refused.stderr)
        lease.close()
        host.close()
        shutil.rmtree(self.root / "Ext.appex")
        until(lambda: not self.ask("ListInstances")["instances"], "the end of the instance")
        self.wait_state(self.root / "Ext.appex", None)
        # What no text names does not keep it.
        (self.container() / os.fsdecode(b"\xff")).mkdir()
        (self.container() / os.fsdecode(b"\xff/\xfe")).touch()
        self.extctl("forget", "org.example.Ext")
        self.assertFalse(self.container().exists())
        self.assertEqual(json.loads(self.extctl("export").stdout)["decisions"], [])

    def test_what_is_gone_for_long_is_forgotten_at_a_start_and_nothing_else(self):
        self.ready()
        other = self.put(self.make_bundle("org.example.Other"))
        self.wait_state(other, "unapproved")
        self.approve("org.example.Other")
        self.container().mkdir(parents=True)
        shutil.rmtree(self.root / "Ext.appex")
        self.wait_state(self.root / "Ext.appex", None)
        self.kill_broker()
        self.start_broker()
        database = self.home / ".local/state/extensiond/decisions.sqlite"

        def absences():
            with sqlite3.connect(database) as connection:
                return connection.execute("SELECT identifier FROM absence").fetchall()

        until(lambda: absences() == [("org.example.Ext",)], "the absence to be noticed")
        self.assertTrue(self.container().exists())
        self.kill_broker()
        with sqlite3.connect(database) as connection:
            connection.execute("UPDATE absence SET lasted = 181 * 86400000")
        self.start_broker()
        until(lambda: not self.container().exists(), "the container to be gone")
        until(lambda: len(json.loads(self.extctl("export").stdout)["decisions"]) == 1, "the decision to be gone")

"""Looking at bundles before they are in a root, and refusing broken ones."""

import json
import plistlib
import shutil

from world import World


class Lint(World):
    def spoil(self, bundle, **keys):
        info = plistlib.loads((bundle / "Info.plist").read_bytes())
        (bundle / "Info.plist").write_bytes(plistlib.dumps({**info, **keys}))
        return bundle

    def assert_no_broker(self):
        self.assertFalse((self.run_directory / "extensiond").exists(), "a broker was started")

    def test_a_bundle_anywhere_is_looked_at_without_a_broker(self):
        bundle = self.make_bundle()
        good = self.extctl("lint", bundle)
        self.assertEqual((good.returncode, good.stdout), (0, f"{bundle}: nothing is wrong\n"), good.stderr)
        self.spoil(bundle, CFBundleExecutable="gone", CFBundleName=7)
        bad = self.extctl("lint", bundle)
        self.assertEqual(bad.returncode, 1)
        for check in ("executableMissing", "keyType"):
            self.assertIn(f"  {check}: ", bad.stdout)
        self.assertEqual(self.extctl("lint", self.place / "none.appex").returncode, 1)
        self.assert_no_broker()

    def test_an_application_is_looked_at_with_what_is_inside(self):
        host = self.make_host()
        inner = self.spoil(self.make_bundle("org.example.Inner", where=host / "Extensions"), CFBundleExecutable="gone")
        (host / "Extensions/q.appextensionpoint").write_bytes(plistlib.dumps({"org.other.Point": {}}))
        said = self.extctl("lint", host).stdout
        self.assertIn(f"{host}:\n  pointForeign: ", said)
        self.assertIn(f"{inner}:\n  executableMissing: ", said)
        self.assert_no_broker()

    def test_a_wrong_name_is_told_with_the_right_one(self):
        bundle = self.make_bundle().rename(self.place / "Foo.appx")
        for name in (bundle, "./Foo.appx"):
            said = self.extctl("lint", name, cwd=self.place)
            self.assertEqual(said.returncode, 1)
            self.assertIn("rename it to Foo.appex", said.stdout)
        self.assert_no_broker()
        self.start_broker()
        said = self.extctl("lint", "Foo.appx", cwd=self.place)
        self.assertIn("rename it to Foo.appex", said.stdout, "no identifier, but something that lies here")

    def test_the_rows_are_those_of_the_broker(self):
        self.put(self.spoil(self.make_bundle("org.example.Bad"), CFBundleExecutable="gone"))
        self.put(self.make_bundle("org.example.Good"))
        rows = []
        for name in ("Bad", "Good"):
            rows += json.loads(self.extctl("lint", self.root / f"{name}.appex", "--json").stdout)["extensions"]
        self.assert_no_broker()
        self.start_broker()
        # What explains the state, and what is added to its own limits, only the broker knows.
        known = {"explanation": "", "limits": []}
        self.assertEqual([{**row, **known} for row in rows], [{**row, **known} for row in self.listed()])
        self.assertEqual(self.extctl("lint", "org.example.Bad").returncode, 1)
        self.assertEqual(self.extctl("lint", "org.example.Good").returncode, 0)
        doctor = self.extctl("doctor").stdout
        self.assertIn(f"extctl lint {self.root}/Bad.appex", doctor)
        self.assertNotIn("Good.appex", doctor)

    def test_a_broken_bundle_is_not_installed(self):
        self.start_broker()
        bundle = self.make_bundle()
        self.assertEqual(self.extctl("install", bundle).returncode, 0)
        self.spoil(bundle, CFBundleExecutable="gone", CFBundleName=7)
        refused = self.extctl("install", bundle)
        self.assertEqual(refused.returncode, 1)
        for check in ("executableMissing", "keyType"):
            self.assertIn(f"  {check}: ", refused.stderr)
        self.assertEqual(self.listed("org.example.Ext")[0]["state"], "unapproved", "the old one stays")
        self.assertEqual([path.name for path in self.root.iterdir()], ["Ext.appex"])
        host = self.make_host()
        shutil.move(bundle, host / "Extensions")
        self.assertIn("executableMissing", self.extctl("install", host).stderr)

    def test_what_the_copy_mends_is_no_reason_to_refuse(self):
        self.start_broker()
        bundle = self.make_bundle()
        (bundle / "main.py").chmod(0o777)
        self.assertIn("writableByOthers", self.extctl("lint", bundle).stdout)
        link = self.place / "Linked.appex"
        link.symlink_to(bundle)
        self.assertIn("symbolicLink", self.extctl("lint", link).stdout)
        self.assertIn("unapproved", self.extctl("install", link).stdout)

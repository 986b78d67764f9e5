"""What a bundle says of itself, as hosts and people see it."""

import json
import plistlib

from world import World


class Bundles(World):
    def test_keys_in_json_are_as_good_and_never_beside_a_property_list(self):
        bundle = self.make_bundle()
        keys = plistlib.loads((bundle / "Info.plist").read_bytes())
        (bundle / "Info.json").write_text(json.dumps(keys))
        both = self.extctl("lint", bundle)
        self.assertEqual(both.returncode, 1)
        self.assertIn("infoTwice: Info.plist and Info.json are both there", both.stdout)
        (bundle / "Info.plist").unlink()
        self.assertEqual(self.extctl("lint", bundle).returncode, 0)
        path = self.put(bundle)
        self.put(self.make_host())
        self.start_broker()
        self.approve("org.example.Ext")
        self.activate(self.host())
        (path / "Info.json").write_text(json.dumps({**keys, "CFBundleName": "Other"}))
        self.wait_state(path, "changed")
        self.assertEqual(self.listed("org.example.Ext")[0]["localizedName"], "Other")

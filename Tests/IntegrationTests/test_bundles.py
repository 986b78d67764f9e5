"""What a bundle says of itself, as hosts and people see it."""

import json
import plistlib

from probe import ProbeWorld


class Bundles(ProbeWorld):
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

    def test_hosts_of_several_languages_see_each_its_own_name(self):
        bundle = self.make_bundle(info={"CFBundleDevelopmentRegion": "en"})
        for language, text in ("de", 'CFBundleDisplayName = "Erweiterung";'), ("pt-BR", '"CFBundleName" = "Extensão";'):
            folder = bundle / f"{language}.lproj"
            folder.mkdir()
            (folder / "InfoPlist.strings").write_bytes(text.encode("utf-16"))
        self.put(bundle)
        self.put(self.make_host())
        self.start_broker(LANG="de_DE.UTF-8")
        self.approve("org.example.Ext")
        locales = {
            "de_AT.UTF-8": "Erweiterung", "pt_BR": "Extensão", "pt_PT": "Ext", "C.UTF-8": "Ext", "en_GB.UTF-8": "Ext"}
        for locale, name in locales.items():
            self.assertEqual(self.names(LANG=locale), f"[{name} 1.0] disabled 0 unapproved 0", locale)
            self.env["LANG"] = locale
            self.assertRegex(self.extctl("show", "org.example.Ext").stdout, f"name +{name}\n")
        self.assertIn("Extensão", self.names(LANG="fr_FR", LANGUAGE="nl:pt_BR:de"))
        self.assertIn("Erweiterung", self.names(LANG="en_US", LC_ALL="de_CH"))
        raw = self.host().call("Discover", extensionPoints=["org.example.Host.Point"])
        self.assertEqual(raw["snapshot"]["identities"][0]["localizedName"], "Erweiterung", "the broker's own language")

    def names(self, **environment):
        return self.probe(**environment).do("monitor first")

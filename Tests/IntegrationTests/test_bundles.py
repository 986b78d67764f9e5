"""What a bundle says of itself, as hosts and people see it."""

import json
import plistlib

from probe import ProbeWorld
from world import POINT, VarlinkError, until


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

    def test_what_an_extension_says_of_itself_is_shown_to_hosts_and_people(self):
        bundle = self.make_bundle(info={
            "CFBundleIconFile": "icon", "NSHumanReadableCopyright": "© 2026 People", "Extensiond": {"License": "MIT"}})
        (bundle / "icon.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
        component = bundle / "org.example.Ext.metainfo.xml"
        component.write_text(
            "<component><id>org.example.Ext</id><summary>Does it</summary><summary xml:lang='de'>Tut es</summary>"
            "<developer><name>People</name></developer><url type='homepage'>https://example.org/</url></component>")
        path = self.put(bundle)
        self.put(self.make_host())
        self.start_broker()
        self.approve("org.example.Ext")
        said = {
            "icon": f"{path}/icon.svg", "description": "Does it", "developer": "People", "license": "MIT",
            "copyright": "© 2026 People", "homePage": "https://example.org/"}
        stream = self.subscribe()
        self.assertEqual(stream.receive()["snapshot"]["identities"][0]["details"], said)
        self.env["LANG"] = "de_DE.UTF-8"
        shown = json.loads(self.extctl("show", "--json", "org.example.Ext").stdout)["extensions"][0]["details"]
        self.assertEqual(shown, {**said, "description": "Tut es"})
        self.assertRegex(self.extctl("show", "org.example.Ext").stdout, "description +Tut es\ndeveloper +People\nlicense +MIT\ncopyright +© 2026 People\n")
        file = path / component.name
        file.write_text(file.read_text().replace("<component>", "<!DOCTYPE a [<!ENTITY b 'c'>]><component>"))
        self.wait_state(path, "invalid")
        self.assertIn("metainfo: org.example.Ext.metainfo.xml is no AppStream component. line 1: ",
                      self.extctl("lint", "org.example.Ext").stdout)

    def test_an_extension_for_another_version_of_its_point_is_incompatible_before_a_launch(self):
        host = self.make_host(point={"Version": "1.3", "Interface": "org.example.Greeting.varlink"})
        description = "# Greets\x1b[31m.\ninterface org.example.Greeting\n\nmethod Greet(name: string) -> (text: string)\n"
        (host / "Extensions/org.example.Greeting.varlink").write_text(description)
        host = self.put(host)
        path = self.put(self.make_bundle(info={"Extensiond": {"PointVersion": "1.2"}}))
        self.start_broker()
        self.approve("org.example.Ext")
        self.activate(self.host())
        shown = self.extctl("points").stdout
        self.assertRegex(shown, "org.example.Host.Point .* 1.3 +org.example.Greeting.varlink +1\n")
        self.assertEqual(
            self.extctl("points", "--interface", POINT).stdout, description.replace("\x1b", "\\u{1b}"),
            "a terminal does not obey it")
        self.assertEqual(json.loads(self.extctl("points", "--json", "--interface", POINT).stdout)["text"], description)
        self.assertEqual(self.extctl("points", "--interface", "org.example.None").returncode, 1)
        self.assertIn(f"{POINT}, made for version 1.2\n", self.extctl("show", "org.example.Ext").stdout)

        file = host / "Extensions/p.appextensionpoint"
        for version, state in ("2.0", "incompatible"), ("1.3", "enabled"), ("1.1", "incompatible"):
            file.write_bytes(plistlib.dumps({POINT: {"Scope": "none", "Version": version}}))
            self.assertEqual(self.extctl("rescan", "--wait").returncode, 0)
            self.wait_state(path, state)
        explained = self.extctl("explain", "org.example.Ext")
        self.assertEqual(explained.returncode, 3)
        self.assertRegex(explained.stdout, f"FAIL +compatible +made for version 1.2 of {POINT}, the host has version 1.1;")
        with self.assertRaises(VarlinkError) as caught:
            self.host().call("Activate", extension="org.example.Ext")
        self.assertEqual(caught.exception.parameters["state"], "incompatible")
        self.assertIn("the host has version 1.1", caught.exception.parameters["message"])

    def test_the_interface_of_a_point_is_checked_with_it_and_read_again_when_mended(self):
        self.root.mkdir(parents=True)
        interface = self.root / "p.varlink"
        interface.write_text("method Greet(")
        (self.root / "p.appextensionpoint").write_bytes(plistlib.dumps({POINT: {"Interface": "p.varlink"}}))
        self.assertIn("pointInterface: ", self.extctl("lint", self.root / "p.appextensionpoint").stdout)
        self.start_broker()
        self.assertEqual(self.ask("ListExtensionPoints")["extensionPoints"], [])
        interface.write_text("interface org.example.P\nmethod Greet() -> ()\n")
        until(lambda: self.ask("ListExtensionPoints")["extensionPoints"], "the point")

    def names(self, **environment):
        return self.probe(**environment).do("monitor first")

"""The SDK's programs with a real broker."""

import plistlib
import shutil
import subprocess

from world import BUILD, DEADLINE, World

POINT = "com.example.hostapp.GreetingUI"


class Samples(World):
    """A broker with the sample's host and its extension, approved."""

    def setUp(self):
        super().setUp()
        host = self.place / "bundles/Sample.app"
        (host / "Extensions").mkdir(parents=True)
        (host / "Info.plist").write_bytes(plistlib.dumps(
            {"CFBundleIdentifier": "com.example.hostapp", "CFBundleName": "Sample"}))
        (host / "Extensions/GreetingUI.appextensionpoint").write_bytes(plistlib.dumps(
            {POINT: {"EXPresentsUserInterface": True, "Scope": "none"}}))
        self.put(host)
        bundle = self.place / "bundles/Extension.appex"
        bundle.mkdir()
        (bundle / "Info.plist").write_bytes(plistlib.dumps({
            "CFBundleIdentifier": "com.example.extension", "CFBundleExecutable": "main", "CFBundleName": "Sample",
            "CFBundleShortVersionString": "1.0", "EXAppExtensionAttributes": {"EXExtensionPointIdentifier": POINT}}))
        shutil.copy(BUILD / "sample-extension", bundle / "main")
        self.put(bundle)
        self.start_broker()
        self.approve("com.example.extension")


class SDK(Samples):
    def test_the_samples_talk_to_each_other(self):
        said = subprocess.run([BUILD / "sample-host"], env=self.env, capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(said.stderr, "")
        self.assertEqual(said.stdout.splitlines(), [
            "Hello, world, from no scene",
            "Hello, scene, from GreetingScene",
            "GreetingScene: deactivated",
            "SecondScene: this scene takes no connections",
            "SecondScene: deactivated",
            "ThirdScene: there is no scene ThirdScene; it has: GreetingScene, SecondScene",
        ])
        self.assertEqual(said.returncode, 0)

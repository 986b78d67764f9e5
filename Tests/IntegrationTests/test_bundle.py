"""Bundles that are made from the code: no identifier is written twice, and what is wrong is told before anything is made."""

import pathlib
import plistlib
import sys

from world import BUILD, World

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Tests/Support"))
from compiler import search, swiftc

HOST, IDENTIFIER = "io.extensiond.example.host", "org.example.Made"
EXTENSION = """import ExtensionFoundation
%s
@main final class Made: AppExtension {
  %s
  var configuration: ConnectionHandler { ConnectionHandler { _ in true } }
}
"""
BOUND = "@Bind var boundAppExtensionPoint: AppExtensionPoint { %s }"


class Bundles(World):
    def bundle(self, program, output, *more, identifier=IDENTIFIER):
        return self.extctl("bundle", program, "--identifier", identifier, "-o", self.place / output, *more)

    def info(self, output):
        return plistlib.loads((self.place / output / "Info.plist").read_bytes())

    def compile(self, source, name="Made"):
        """What the compiler writes about the source, beside a program."""
        protocols, file, program = self.place / "protocols.json", self.place / f"{name}.swift", self.place / name
        protocols.write_text(self.extctl("bundle", "--protocols").stdout)
        file.write_text(source)
        self.assertEqual(swiftc(
            "-swift-version", "6", *search(self.place), "-parse-as-library", "-module-name", name, "-wmo", "-c",
            "-o", self.place / f"{name}.o", "-emit-const-values-path", f"{program}.swiftconstvalues",
            "-Xfrontend", "-const-gather-protocols-file", "-Xfrontend", protocols, file), "")
        program.write_bytes((BUILD / "greeting-extension").read_bytes())
        program.chmod(0o755)
        return program

    def assertFails(self, made, *texts, output="Made.appex"):
        self.assertNotEqual(made.returncode, 0, made.stdout)
        for text in texts:
            self.assertIn(text, made.stderr)
        self.assertFalse((self.place / output).exists())
        self.assertEqual([path.name for path in self.place.glob(".*")], [], "nothing unfinished is left")

    def test_an_extension_and_its_host_are_made_and_work(self):
        more = self.place / "More.plist"
        more.write_bytes(plistlib.dumps({"Extensiond": {"StartTimeout": 9}, "CFBundleVersion": "7"}))
        for made in (
            self.bundle(BUILD / "greeting-host", "Host.app", identifier=HOST),
            self.bundle(BUILD / "greeting-extension", "Made.appex", "--name", "<Made> & co", "--version", "1.2",
                        "--info", more),
        ):
            self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(self.info("Made.appex"), {
            "CFBundleIdentifier": IDENTIFIER, "CFBundleName": "<Made> & co", "CFBundleExecutable": "greeting-extension",
            "CFBundleShortVersionString": "1.2", "CFBundleVersion": "7", "Extensiond": {"StartTimeout": 9},
            "EXAppExtensionAttributes": {"EXExtensionPointIdentifier": f"{HOST}.Greeting"}})
        self.assertEqual(
            plistlib.loads((self.place / "Host.app/Extensions/Host.appextensionpoint").read_bytes()),
            {f"{HOST}.Greeting": {"Scope": "none"}})
        self.start_broker()
        for name in ("Host.app", "Made.appex"):
            self.assertEqual(self.extctl("lint", self.place / name).returncode, 0)
            self.assertEqual(self.extctl("install", self.place / name).returncode, 0)
        self.approve(IDENTIFIER)
        said = self.extctl("connect", IDENTIFIER, "--scene", "FarewellScene", input="Ada\n")
        self.assertEqual((said.stdout, said.stderr), ("Goodbye, Ada in FarewellScene!\n", ""))

    def test_every_attribute_of_a_definition_is_in_the_file_and_its_interface_beside_it(self):
        host = self.compile((ROOT / "Sources/Examples/sample-host/SampleHost.swift").read_text(), "Host")
        interface = ROOT / "Sources/Examples/sample-sdk/com.example.greeting.Host.varlink"
        made = self.bundle(host, "Host.app", "--interface", interface, identifier="com.example.hostapp")
        self.assertEqual(made.returncode, 0, made.stderr)
        inside = self.place / "Host.app/Extensions"
        self.assertEqual(
            plistlib.loads((inside / "Host.appextensionpoint").read_bytes()),
            {"com.example.hostapp.GreetingUI": {"Scope": "none", "UserInterface": True, "Interface": interface.name}})
        self.assertEqual((inside / interface.name).read_text(), interface.read_text())

    def test_a_new_one_takes_the_place_of_the_old_one(self):
        for version in ("1", "2"):
            self.assertEqual(
                self.bundle(BUILD / "greeting-extension", "Made.appex", "--version", version).returncode, 0)
            self.assertEqual(self.info("Made.appex")["CFBundleShortVersionString"], version)
        self.assertEqual([path.name for path in self.place.glob(".*")], [])

    def test_what_is_not_constant_is_refused_with_its_place(self):
        name = 'let name: StaticString = "Greeting"'
        program = self.compile(EXTENSION % (name, BOUND % 'Identifier(host: "org.example.Host", name: name)'))
        self.assertFails(self.bundle(program, "Made.appex"), "Made.swift:4: ", "write literals only")
        computed = 'var boundAppExtensionPoint: AppExtensionPoint { try! AppExtensionPoint(identifier: "org.a.b") }'
        program = self.compile(EXTENSION % ("", computed))
        self.assertFails(self.bundle(program, "Made.appex"), "Made.swift:4: ", "@Bind")

    def test_what_is_missing_old_or_wrong_is_refused(self):
        self.assertFails(self.bundle("/bin/true", "Made.appex"), "/bin/true.build", "-emit-const-values")
        self.assertFails(self.bundle(BUILD / "greeting-host", "Made.appex"), "no @Bind")
        self.assertFails(self.bundle(BUILD / "greeting-extension", "Made.app"), "no @Definition", output="Made.app")
        self.assertFails(self.bundle(BUILD / "greeting-extension", "Made.appex", identifier="made"), "“made” is no identifier")
        self.assertFails(self.bundle(BUILD / "greeting-extension", "Made"), ".appex, for an extension", output="Made")
        program = self.compile(EXTENSION % ("", BOUND % 'Identifier("org.example.Host.Point")'))
        program.chmod(0o644)
        self.assertFails(self.bundle(program, "Made.appex"), "would be invalid", "executable")
        program.chmod(0o755)
        (self.place / "Made.swift").write_text(EXTENSION % ("", BOUND % 'Identifier("org.example.Host.Other")'))
        self.assertFails(self.bundle(program, "Made.appex"), "older than", "Made.swift", "build again")

    def test_a_change_beside_the_point_needs_no_other_values(self):
        source = EXTENSION % ("", BOUND % 'Identifier("org.example.Host.Point")')
        program = self.compile(source)
        # The compiler leaves a file that would say the same as it is.
        self.compile(source + "// More.\n")
        made = self.bundle(program, "Made.appex")
        self.assertEqual(made.returncode, 0, made.stderr)
        # The point has moved, and the compiler has not said so.
        (self.place / "Made.swift").write_text("// More.\n" + source)
        self.assertFails(self.bundle(program, "Other.appex"), "older than", "build again", output="Other.appex")


"""New projects: each builds, has nothing that lint would name, and runs, as it was written."""

import json
import os
import pathlib
import plistlib
import socket
import subprocess
import sys

from world import BUILD, POINT, Client, VarlinkError, World

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Tests/Support"))
from compiler import generate, gtk, objects, search, swiftc

INTERFACE = "org.example.Every"
DESCRIPTION = f"""# Every kind of method.
interface {INTERFACE}
type Part (one: int, kind: (good, bad))
# Two lines of
# comment, "quotes", and at the end \\
method Make(name: string, parts: []Part) -> (part: Part, count: int)
# [Requires 'more' flag]
method Count(first: int) -> (number: int)
# [Requires 'oneway' flag]
method Remember(
  # What to remember.
  name: string
) -> ()
method Open() -> (fileDescriptor: int)
error Nobody(name: string)
"""


class New(World):
    def new(self, language, *more, name="Fresh"):
        made = self.extctl("new", name, "--point", POINT, "--language", language, "--sdk", ROOT, *more, cwd=self.place)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual([path.name for path in self.place.glob(".*")], [], "nothing unfinished is left")
        return self.place / name

    def with_interface(self, language):
        file = self.place / "any.varlink"
        file.write_text(DESCRIPTION)
        return self.new(language, "--interface", file)

    def make(self, project, *goals):
        run = subprocess.run(
            ["make", "-C", project, f"EXTCTL={BUILD / 'extctl'}", "CFLAGS=-Wall -Wextra -Wpedantic -Werror", *goals],
            env=self.env, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    def compile(self, project, options=(), linked=()):
        """What `swift build` does, with the modules that are there already."""
        sources, work = project / "Sources/Fresh", self.place / "work"
        work.mkdir()
        interfaces = list(sources.glob("*.varlink"))
        files = sorted(sources.glob("*.swift")) + (generate(work / "made", *interfaces) if interfaces else [])
        settings = ["-emit-const-values-path", work / "Fresh.swiftconstvalues", "-Xfrontend",
                    "-const-gather-protocols-file", "-Xfrontend", project / "protocols.json"]
        self.assertEqual(swiftc(
            "-swift-version", "6", *search(work), *options, "-parse-as-library", "-module-name", "Fresh", "-wmo", "-static-stdlib",
            *settings, "-o", work / "Fresh", *files,
            *objects("CLinux", "CMainQueue", "LinuxSystem", "Varlink", "ExtensionInterfaces", "ExtensionFoundation"), *linked), "")
        made = self.extctl("bundle", work / "Fresh", "--identifier", "org.example.Fresh", "-o", project / "Fresh.appex")
        self.assertEqual(made.returncode, 0, made.stderr)

    def run_it(self, project):
        """Installs and approves it, and returns what a connection to it is made with."""
        bundle = project / "Fresh.appex"
        lint = self.extctl("lint", bundle)
        self.assertEqual((lint.returncode, lint.stdout), (0, f"{bundle}: nothing is wrong\n"))
        info = plistlib.loads((bundle / "Info.plist").read_bytes())
        self.assertEqual(
            (info["CFBundleIdentifier"], info["EXAppExtensionAttributes"]["EXExtensionPointIdentifier"]),
            ("org.example.Fresh", POINT))
        self.put(self.make_host())
        self.start_broker()
        self.assertEqual(self.extctl("install", bundle).returncode, 0)
        self.approve("org.example.Fresh")
        host = self.host()
        return lambda: self.activate(host, "org.example.Fresh", connect=True)[2]

    def lines_come_back(self, connect):
        for _ in range(2):
            connection = connect()
            connection.sendall(b"Ada\nGrace")
            self.assertEqual(connection.recv(4, socket.MSG_WAITALL), b"Ada\n")
            connection.sendall(b" Hopper\n")
            self.assertEqual(connection.recv(13, socket.MSG_WAITALL), b"Grace Hopper\n")

    def every_method_is_there(self, connect):
        client = Client.over(connect(), INTERFACE)
        # In any order, with whatever the parameters hold.
        client.raw(json.dumps({"parameters": {"name": '"method":"x"', "parts": []}, "method": f"{INTERFACE}.Make"}).encode() + b"\0")
        with self.assertRaises(VarlinkError) as caught:
            client.receive()
        self.assertEqual(
            (caught.exception.name, caught.exception.parameters), ("MethodNotImplemented", {"method": f"{INTERFACE}.Make"}))
        # No answer comes to the first: that to the second is the next.
        client.send("Remember", {"name": "x"}, oneway=True)
        client.send("Count", {"first": 1}, more=True)
        for method in ("Count", "Open"):
            with self.assertRaises(VarlinkError) as caught:
                client.call(method) if method == "Open" else client.receive()
            self.assertEqual(
                (caught.exception.name, caught.exception.parameters),
                ("MethodNotImplemented", {"method": f"{INTERFACE}.{method}"}))
        with self.assertRaises(VarlinkError) as caught:
            client.call("Part")
        self.assertEqual(caught.exception.name, "MethodNotFound")

    def point(self, text=DESCRIPTION, **attributes):
        """A broker that knows the point, which carries an interface."""
        host = self.make_host(point={"Interface": f"{INTERFACE}.varlink", "Version": "2.3", **attributes})
        (host / f"Extensions/{INTERFACE}.varlink").write_text(text)
        self.put(host)
        self.start_broker()

    def options(self, path):
        return plistlib.loads(path.read_bytes()).get("Extensiond")

    def test_the_point_s_own_interface_and_version_are_taken(self):
        self.point()
        self.assertEqual((self.new("python", name="Py") / f"Py.appex/{INTERFACE}.varlink").read_text(), DESCRIPTION)
        main = (self.place / "Py/Py.appex/main.py").read_text()
        self.assertIn(f'case "{INTERFACE}.Make":', main)
        self.assertEqual(self.options(self.place / "Py/Py.appex/Info.plist"), {"PointVersion": "2.3"})
        other = self.place / "other.varlink"
        other.write_text("interface org.example.Other\nmethod Do() -> ()\n")
        project = self.new("c", "--interface", other, name="Sea")
        self.assertIn("org.example.Other.Do", (project / "extension.c").read_text())
        self.assertNotIn(INTERFACE, (project / "extension.c").read_text())
        self.assertEqual(self.options(project / "Info.plist"), {"PointVersion": "2.3"})
        project = self.new("swift")
        self.assertTrue((project / f"Sources/Fresh/{INTERFACE}.varlink").exists())
        self.assertIn("--info Info.plist", (project / "Makefile").read_text())
        self.assertEqual(self.options(project / "Info.plist"), {"PointVersion": "2.3"})

    def test_a_project_for_a_point_with_an_interface_runs(self):
        self.point()
        bundle = self.new("python") / "Fresh.appex"
        self.assertEqual(self.extctl("install", bundle).returncode, 0)
        self.approve("org.example.Fresh")
        self.assertEqual(self.listed("org.example.Fresh")[0]["pointVersion"], "2.3")
        host = self.host()
        self.every_method_is_there(lambda: self.activate(host, "org.example.Fresh", connect=True)[2])

    def test_without_an_interface_one_line_says_why(self):
        def said(name, point=POINT, *more):
            made = self.extctl("new", name, "--point", point, "--language", "python", *more, cwd=self.place)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertIn("Here each line comes back", (self.place / f"{name}/{name}.appex/main.py").read_text())
            self.assertIsNone(self.options(self.place / f"{name}/{name}.appex/Info.plist"))
            self.assertLessEqual(made.stderr.count("\n"), 1)
            return made.stderr

        self.assertEqual(said("One"), "no broker answers, so there are no stubs; --interface FILE makes them\n")
        self.assertFalse((self.run_directory / "extensiond").exists(), "none is started")
        self.put(self.make_host())
        self.start_broker()
        self.assertIn(f"{POINT} carries no interface, so", said("Two"))
        self.assertIn("no host or file defines org.example.None.Point, so", said("Three", "org.example.None.Point"))

    def test_python_lines(self):
        project = self.new("python")
        self.make(project)
        self.lines_come_back(self.run_it(project))

    def test_python_methods(self):
        project = self.with_interface("python")
        connect = self.run_it(project)
        self.every_method_is_there(connect)
        client = Client.over(connect(), INTERFACE)
        self.assertEqual(client.call("org.varlink.service.GetInfo")["interfaces"], [INTERFACE])
        self.assertEqual(
            client.call("org.varlink.service.GetInterfaceDescription", interface=INTERFACE)["description"], DESCRIPTION)

    def test_c_lines(self):
        project = self.new("c")
        self.make(project)
        self.lines_come_back(self.run_it(project))
        self.assertIn("nothing is wrong", self.make(project, "lint"))

    def test_c_methods(self):
        project = self.with_interface("c")
        self.make(project)
        self.every_method_is_there(self.run_it(project))

    def test_swift_lines(self):
        project = self.new("swift")
        self.compile(project)
        self.lines_come_back(self.run_it(project))

    def test_swift_methods(self):
        project = self.with_interface("swift")
        self.compile(project)
        self.every_method_is_there(self.run_it(project))

    def is_shown(self, project, *options):
        """Without its host, and somebody presses its button."""
        bundle, script = project / "Fresh.appex", self.place / "steps"
        lint = self.extctl("lint", bundle)
        self.assertEqual((lint.returncode, lint.stdout), (0, f"{bundle}: nothing is wrong\n"))
        self.put(self.make_host(point={"UserInterface": True}))
        self.start_broker()
        script.write_text("wait shown\nwait size 200 100\nclick 100 50\nwait text count 1\nclick 100 50\nwait text count 2\n")
        done = self.extctl("preview", bundle, "--headless", "--size", "200x100", "--script", script, *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_window_in_python(self):
        project = self.new("python", "--ui")
        self.make(project)
        self.is_shown(project)

    def test_a_window_in_c(self):
        project = self.new("c", "--ui")
        self.make(project)
        self.is_shown(project)
        self.assertIn("nothing is wrong", self.make(project, "lint"))

    def test_a_scene_in_swift(self):
        options, linked = gtk()
        project = self.new("swift", "--ui")
        self.compile(project, options, linked)
        self.is_shown(project, "--scene", "Main")
        dump = subprocess.run(["swift", "package", "dump-package"], cwd=project, capture_output=True, text=True)
        products = [part["product"][0] for part in json.loads(dump.stdout)["targets"][0]["dependencies"]]
        self.assertEqual(
            sorted(products), ["ExtensionFoundation", "ExtensionKit", "ExtensionKitGTKContent", "Varlink"])

    def test_a_window_has_no_calls_and_needs_a_place(self):
        self.point()
        made = self.extctl("new", "Py", "--point", POINT, "--language", "python", "--ui", cwd=self.place)
        self.assertEqual((made.returncode, made.stderr), (0, f"{POINT} has no UserInterface: its hosts show nothing of an extension\n"))
        self.assertEqual(
            self.options(self.place / "Py/Py.appex/Info.plist"), {"PointVersion": "2.3", "Runtime": "wayland"})
        file = self.place / "any.varlink"
        file.write_text(DESCRIPTION)
        made = self.extctl(
            "new", "Sea", "--point", POINT, "--language", "c", "--ui", "--interface", file, cwd=self.place)
        self.assertEqual(made.returncode, 2, made.stderr)
        self.assertIn("answers no calls", made.stderr)

    def test_the_package_says_where_the_sdk_is(self):
        package = (self.new("swift") / "Package.swift").read_text()
        self.assertIn(f'.package(name: "extensiond", path: "{ROOT}")', package)
        other = self.new("swift", "--sdk", "https://example.org/some/extensions.git", name="other")
        dump = subprocess.run(["swift", "package", "dump-package"], cwd=other, capture_output=True, text=True)
        self.assertEqual(dump.returncode, 0, dump.stderr)
        dependency = json.loads(dump.stdout)["dependencies"][0]["sourceControl"][0]
        self.assertEqual(dependency["identity"], "extensions")

    def test_programs_say_that_they_are_started_by_the_broker(self):
        project = self.new("c")
        self.make(project)
        for program in (project / "Fresh.appex/Fresh", self.new("python", name="other") / "other.appex/main.py"):
            run = subprocess.run([program], env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            self.assertEqual(run.returncode, 64)
            self.assertIn("started by extensiond", run.stderr)

    def test_what_cannot_be_is_refused_in_one_line(self):
        (self.place / "there").mkdir()
        bad, point = self.place / "bad.varlink", ("--point", POINT)
        bad.write_text("interface org.example.Bad\nmethod (")
        for words, text in (
            (("there", *point, "--language", "c"), f"something at {self.place}/there already"),
            (("Fresh", *point, "--language", "c", "--directory", "there"), "give another --directory"),
            (("Fresh", *point, "--language", "cobol"), "no language 'cobol' for a project; there are swift, python, c"),
            (("Fresh", "--point", "Point", "--language", "c"), "“Point” is no identifier"),
            (("Fresh", *point, "--language", "c", "--identifier", "a b.c"), "“a b.c” is no identifier"),
            (("../Fresh", *point, "--language", "c"), "“../Fresh” is no name for a project"),
            (("1st", *point, "--language", "c"), "“1st” is no name for a project"),
            (("Fresh", "--language", "c"), "--point is missing"),
            (("Fresh", *point), "--sdk is missing"),
            (("Fresh", *point, "--language", "c", "--interface", "none"), "none cannot be read"),
            (("Fresh", *point, "--language", "c", "--interface", bad), f"{bad}:2:8: "),
        ):
            said = self.extctl("new", *words, cwd=self.place)
            self.assertNotEqual(said.returncode, 0, words)
            self.assertIn(text, said.stderr)
            self.assertEqual(said.stderr.count("\n"), 1, said.stderr)
            self.assertFalse((self.place / "Fresh").exists())
        self.assertEqual(os.listdir(self.place / "there"), [])

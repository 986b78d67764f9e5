"""libextensionkit as it is installed: what it shows, and hosts in C over it, with a real broker."""

import os
import re
import shutil
import signal
import subprocess
import sys
import unittest

from installed import ROOT, Installed, run
from test_display import BODY, SHOWN
from probe import ENDING, SCENES, ProbeWorld
from world import DEADLINE, POINT, until

sys.path.append(str(ROOT / "Tests/Support"))
from compiler import objects, search, swiftc

TIMED_OUT, BROKER_UNAVAILABLE, INVALID_ARGUMENT, NOT_FOUND, NOT_ENABLED = 13, 3, 2, 5, 6
SCENE_NOT_FOUND, ACTIVATION_FAILED, REJECTED, ACTIVATION_ENDED = 7, 8, 9, 10
DISPLAY_UNAVAILABLE = 14


class TheLibrary(unittest.TestCase):
    def test_it_shows_what_the_header_declares_and_nothing_else(self):
        library = Installed.prefix() / "lib/libextensionkit.so"
        header = (Installed.prefix() / "include/extensionkit.h").read_text()
        declared = set(re.findall(r"^[^/\n]*?\b(extk_\w+)\(", header, re.M))
        shown = {line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()}
        self.assertEqual(shown, declared)
        self.assertTrue(all(name.startswith("extk_") for name in shown))

    def test_its_name_has_its_version_and_the_swift_runtime_is_inside(self):
        dynamic = run("readelf", "-dW", Installed.prefix() / "lib/libextensionkit.so")
        self.assertEqual(re.findall(r"SONAME.*\[(.*)\]", dynamic), ["libextensionkit.so.0"])
        self.assertEqual(
            [name for name in re.findall(r"NEEDED.*\[(.*)\]", dynamic) if re.search("swift|dispatch|Blocks", name)], [])

    def test_packages_learn_where_bundles_go(self):
        self.assertEqual(
            Installed.flags("--variable=extensionsdir", "extensionkit"), [f"{Installed.prefix()}/lib/extensiond"])

    def test_the_header_is_for_other_compilers_too(self):
        for language in ("c", "c++"):
            run("cc", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-x", language,
                Installed.prefix() / "include/extensionkit.h")


class CWorld(ProbeWorld):
    def c_host(self, *options, **more):
        host = self.probe(Installed.host(*options, **more))
        self.assertEqual(host.do("host org.example.Host"), "ok")
        return host

    def assertError(self, result, code, *texts):
        self.assertRegex(result, f"^error {code} ")
        for text in texts:
            self.assertIn(text, result)


class Hosts(CWorld):
    def test_a_host_discovers_activates_connects_and_hears_of_the_end(self):
        self.ready(identifier="org.example.One", body=ENDING, info={"CFBundleName": "One"})
        host = self.c_host()
        self.assertEqual(host.do(f"monitor {POINT}"), "One 1.0; disabled 0 unapproved 0")
        self.assertEqual(host.do("activate use org.example.One"), "ok")
        self.assertEqual(host.do("connect use"), "ok")
        self.assertEqual(host.do("line use hello"), "hello")
        self.assertEqual(host.do("connect use"), "ok")
        os.kill(self.instances()[0]["pid"], signal.SIGKILL)
        self.assertEqual(host.event(), "ended use killed status -1 signal 9")
        for word, end in {"exit": "exited status 7 signal 0", "abort": "crashed status -1 signal 6"}.items():
            host.do("activate-later use org.example.One")
            self.assertEqual(host.event(), "activated use ok")
            host.do("connect-later use")
            self.assertEqual(host.event(), "connected use ok")
            self.assertEqual(host.do(f"line use {word}"), "end")
            self.assertEqual(host.event(), f"ended use {end}")
        # What the host ends itself is not told.
        host.do("activate use org.example.One")
        host.do("free use")
        self.unused()
        self.assertTrue(host.nothing_more())
        host.process.stdin.close()
        self.assertEqual(host.process.wait(DEADLINE), 0)

    def test_what_an_extension_says_of_itself_is_there(self):
        metainfo = "org.example.One.metainfo.xml"
        bundle = self.extension("One", info={"CFBundleIconFile": "icon", "Extensiond": {"License": "MIT"}})
        (bundle / "icon.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
        (bundle / metainfo).write_text(
            "<component><id>org.example.One</id><summary>Does it</summary><summary xml:lang='de'>Tut es</summary>"
            "<developer><name>People</name></developer><url type='homepage'>https://example.org/</url></component>")
        self.put(self.make_host())
        path = self.put(bundle)
        self.start_broker()
        self.approve("org.example.One")
        self.env["LANG"] = "de_AT.UTF-8"
        host = self.c_host()
        host.do(f"monitor {POINT}")
        self.assertEqual(host.do("details"), f"Tut es; People; MIT; https://example.org/; {path}/icon.svg")
        shutil.rmtree(path)
        host.event()
        until(lambda: self.state(path) is None, "the end of the bundle")
        self.wait_state(self.put(self.extension("One")), "changed")
        self.approve("org.example.One")
        until(lambda: host.do("list").startswith("One 1.0"), "the new one")
        self.assertEqual(host.do("details"), "none; none; none; none; none")

    def test_changes_are_told_in_order_and_once(self):
        self.put(self.make_host())
        self.start_broker()
        host = self.c_host()
        self.assertEqual(host.do(f"monitor {POINT}"), "; disabled 0 unapproved 0")
        path = self.put(self.extension("One"))
        self.assertEqual(host.event(), "counts now ; disabled 0 unapproved 1")
        self.approve("org.example.One")
        self.assertEqual(
            host.event(),
            f"added org.example.One One 1.0 of {POINT} now One 1.0; disabled 0 unapproved 0")
        self.assertEqual(host.event(), "counts now One 1.0; disabled 0 unapproved 0")
        self.ask("Disable", extension="org.example.One")
        self.assertEqual(
            host.event(), f"removed org.example.One One 1.0 of {POINT} now ; disabled 1 unapproved 0")
        self.assertEqual(host.event(), "counts now ; disabled 1 unapproved 0")
        # The counts would come with it, but for the end of the monitor.
        host.do("unmonitor-with-the-next")
        self.approve("org.example.One")
        self.assertRegex(host.event(), "^added org.example.One ")
        shutil.rmtree(path)
        until(lambda: self.state(path) is None, "the end of the bundle")
        self.assertEqual(host.do("version"), self.extctl("--version").stdout.split()[-1])
        self.assertEqual(host.events, [])

    def test_a_restart_of_the_broker_misses_nothing(self):
        self.put(self.make_host())
        paths = [self.put(self.extension(name, body=ENDING)) for name in ("One", "Two")]
        self.start_broker()
        for name in ("One", "Two"):
            self.approve(f"org.example.{name}")
        host = self.c_host()
        host.do(f"monitor {POINT}")
        host.do("activate use org.example.One")
        host.do("connect use")
        self.kill_broker()
        self.assertEqual(host.event(), "broker now One 1.0, Two 1.0; disabled 0 unapproved 0 old")
        self.assertError(host.do("activate other org.example.Two"), BROKER_UNAVAILABLE)
        self.assertEqual(host.do("line use hello"), "hello")
        shutil.rmtree(paths[1])
        self.assertEqual(host.do("line use exit"), "end")
        self.start_broker()
        # The end and the list come over different ways.
        told = sorted(host.event() for _ in range(3))
        self.assertEqual(told, [
            "broker now One 1.0; disabled 0 unapproved 0", "ended use exited status 7 signal 0",
            f"removed org.example.Two Two 1.0 of {POINT} now One 1.0; disabled 0 unapproved 0"])
        self.assertEqual(host.do("activate use org.example.One"), "ok")

    def test_nothing_is_left_of_what_was_freed(self):
        self.ready(identifier="org.example.One", body=ENDING, info={"CFBundleName": "One"})
        host = self.c_host()

        def use():
            self.assertEqual(host.do(f"monitor {POINT}"), "One 1.0; disabled 0 unapproved 0")
            self.assertEqual(host.do("activate use org.example.One"), "ok")
            self.assertEqual(host.do("connect use"), "ok")
            self.assertEqual([host.do("free use"), host.do("unmonitor")], ["ok", "ok"])

        use()
        self.unused()
        before = host.resources()
        for _ in range(20):
            use()
        self.unused()
        until(
            lambda: all(now <= then for now, then in zip(host.resources(), before)),
            f"no more descriptors and threads than {before}, now {host.resources()}")

    def test_errors_have_codes_and_say_what_to_do(self):
        nobody = self.probe(Installed.host(), EXTENSIOND_HOST_IDENTIFIER="")
        self.assertError(nobody.do("host no-identifier"), INVALID_ARGUMENT, "no-identifier", "org.example.Editor")
        host = self.c_host()
        self.assertError(host.do("host org.example.Another"), INVALID_ARGUMENT, "org.example.Host")
        self.assertError(host.do(f"monitor {POINT}"), BROKER_UNAVAILABLE, "extctl doctor")
        self.put(self.make_host())
        refuse = "def accept(p):\n os.close(fds.pop(0)); answer({'answers': p['call'], 'message': 'not today'}, 'ConnectionRejected')"
        self.put(self.extension("One", body=refuse, scenes=SCENES))
        self.put(self.extension("Silent", body="print('no thought', file=sys.stderr); sys.stderr.flush(); os._exit(3)"))
        self.put(self.extension("Slow", body="import select; select.select([], [], [], 5)"))
        self.start_broker()
        self.assertError(host.do("monitor no/point"), INVALID_ARGUMENT)
        self.assertError(host.do("activate a org.example.Nothing"), NOT_FOUND, "org.example.Nothing")
        self.assertError(host.do("activate a org.example.One"), NOT_ENABLED)
        for name in ("One", "Silent", "Slow"):
            self.approve(f"org.example.{name}")
        self.assertError(host.do("activate a org.example.One Three"), SCENE_NOT_FOUND, "One, Two")
        self.assertError(
            host.do("activate a org.example.Silent"), ACTIVATION_FAILED, "reason exited", "said no thought")
        host.do("activate-later a org.example.Silent")
        self.assertRegex(host.event(), f"^activated a error {ACTIVATION_FAILED} .*said no thought")
        self.assertError(host.do("hurry org.example.Slow"), TIMED_OUT)
        self.assertEqual(host.do("activate a org.example.One Two"), "ok")
        self.assertError(host.do("connect a"), REJECTED, "not today")
        host.do("connect-later a")
        self.assertRegex(host.event(), f"^connected a error {REJECTED} .*not today")


    def test_a_host_that_shows_gets_the_display_once(self):
        self.ready(
            identifier="org.example.One", host=SHOWN, body=BODY, scenes=SCENES, info={"CFBundleName": "One"})
        host = self.c_host()
        for scene in ("One", "Two"):
            self.assertEqual(host.do(f"activate {scene} org.example.One {scene}"), "ok")
        tokens = {row["scene"]: row["id"] for row in self.ask("ListActivations")["activations"]}
        instance = self.instances()[0]["id"]
        self.assertEqual(
            host.do("show One"), f"shown {instance} display asked token {tokens['One']} unmodified 0")
        self.assertEqual(host.do("line One hello"), "hello")
        host.do("show-later Two")
        self.assertEqual(host.event(), f"event-Two shown {instance} display none token {tokens['Two']} unmodified 0")
        self.assertEqual(host.do("line Two hello"), "hello")
        sockets = host.sockets()
        for _ in range(5):
            self.assertEqual(host.do("show-and-drop Two"), "ok")
        # That of a call to the broker may be there a moment longer.
        until(lambda: host.sockets() <= sockets, f"at most {sockets} sockets")

    def test_what_has_nothing_to_show_says_so(self):
        self.ready(identifier="org.example.One", body=ENDING, info={"CFBundleName": "One"})
        host = self.c_host()
        self.assertEqual(host.do("activate a org.example.One"), "ok")
        self.assertError(host.do("show a"), DISPLAY_UNAVAILABLE, "UserInterface")
        host.do("show-later a")
        self.assertRegex(host.event(), f"^event-a error {DISPLAY_UNAVAILABLE} .*UserInterface")

    def test_the_sample_of_the_documents_works(self):
        sample = re.search("```c\n(.*?)```", (ROOT / "docs/c-library.md").read_text(), re.S)[1]
        source, program = self.place / "sample.c", self.place / "sample"
        source.write_text(sample)
        run("cc", "-Wall", "-Wextra", "-Werror", "-o", program, source, *Installed.flags("--cflags", "--libs", "extensionkit"))
        self.ready(identifier="org.example.One", body=ENDING, info={"CFBundleName": "One"})
        host = subprocess.Popen(
            [program], env={**self.env, "LD_LIBRARY_PATH": str(Installed.prefix() / "lib")}, stdout=subprocess.PIPE, text=True)
        self.addCleanup(host.wait)
        self.addCleanup(host.kill)
        self.addCleanup(host.stdout.close)
        self.assertEqual(host.stdout.readline(), "One says hello\n")
        os.kill(self.instances()[0]["pid"], signal.SIGKILL)
        self.assertEqual((host.stdout.read(), host.wait(DEADLINE)), ("the extension has ended: killed\n", 0))


class UnderGLib(CWorld):
    def test_callbacks_and_main_actor_run_on_the_main_thread_of_a_glib_host(self):
        self.ready(identifier="org.example.One", body=ENDING, info={"CFBundleName": "One"})
        host = self.c_host("-DGLIB", packages=("glib-2.0",))
        self.assertEqual(host.do("main first"), "ok")
        self.assertEqual(host.event(), "main first yes")
        self.assertEqual(host.do(f"monitor {POINT}"), "One 1.0; disabled 0 unapproved 0")
        host.do("activate-later use org.example.One")
        self.assertEqual(host.event(), "activated use ok")
        host.do("connect-later use")
        self.assertEqual(host.event(), "connected use ok")
        self.assertEqual(host.do("line use exit"), "end")
        self.assertEqual(host.event(), "ended use exited status 7 signal 0")

    def swift(self, name, *options):
        """A program of a folder beside this file, in Swift over GLib."""
        sources, program = ROOT / "Tests/IntegrationTests" / name, self.place / name
        glib = ROOT / "Tests/IntegrationTests/glib-host"
        headers = [part for flag in run("pkg-config", "--cflags-only-I", "glib-2.0").split() for part in ("-Xcc", flag)]
        linked = objects("CLinux", "CMainQueue", "LinuxSystem", "Varlink", "ExtensionInterfaces", "ExtensionFoundation")
        self.assertEqual(
            swiftc("-swift-version", "6", *options, *search(glib), *headers, "-o", program, sources / "main.swift", *linked),
            "")
        return program

    def test_a_swift_host_under_glib_has_its_main_actor_on_the_main_thread(self):
        self.ready(identifier="org.example.One", body=ENDING, info={"CFBundleName": "One"})
        ended = subprocess.run(
            [self.swift("glib-host")], env={**self.env, "EXTENSIOND_HOST_IDENTIFIER": "org.example.Host"},
            capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(
            (ended.stdout.splitlines(), ended.stderr),
            ([f"{step} on the main thread" for step in ("begun", "found One", "connected")], ""))

    def test_an_extension_may_run_glibs_loop_on_its_main_thread(self):
        program = self.swift("glib-extension", "-static-stdlib")
        identifier = self.ready(identifier="org.example.One", program=program.read_bytes())
        _, lease, connection = self.activate(self.host("org.example.Host"), identifier, connect=True)
        connection.sendall(b"served\n")
        self.assertEqual(connection.makefile().readline(), "served on the main thread of GLib\n")
        self.extctl("stop", identifier)
        self.assertEqual(lease.recv(1), b"")
        until(lambda: "will terminate" in self.extctl("logs", identifier).stdout)

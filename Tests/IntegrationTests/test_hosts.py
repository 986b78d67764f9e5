"""Hosts: whose name is verified, what ships inside them, and what a sandboxed one may do."""

import json
import os
import pathlib
import plistlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from world import BUILD, DEADLINE, POINT, VarlinkError, World, until

CALL = """
import json, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
for name, parameters in json.loads(sys.argv[2]):
    s.sendall(json.dumps({"method": "io.extensiond.Broker." + name, "parameters": parameters}).encode() + b"\\0")
    data = b""
    while not data.endswith(b"\\0"): data += s.recv(65536)
    print(data[:-1].decode())
"""


class Hosts(World):
    def make_host_with_program(self, **keys):
        """A copy of the interpreter stands for a host's program: the kernel shows its path."""
        bundle = self.make_host()
        shutil.copy(pathlib.Path(sys.executable).resolve(), bundle / "host")
        (bundle / "Info.plist").write_bytes(
            plistlib.dumps({"CFBundleIdentifier": "org.example.Host", "CFBundleExecutable": "host", **keys}))
        return bundle

    def say(self, *command, calls='[["Hello", {"hostIdentifier": "org.example.Host"}]]'):
        """What the broker answers to a program that is a Python."""
        socket = self.run_directory / "extensiond/broker/io.extensiond.Broker"
        return subprocess.run(
            [*command, "-c", CALL, socket, calls], env={"PYTHONHOME": sys.base_prefix}, capture_output=True, text=True,
            timeout=DEADLINE)

    def test_the_program_of_a_host_bundle_is_verified_and_others_only_claim(self):
        path = self.put(self.make_host_with_program())
        self.start_broker()
        self.assertEqual(self.host().hello["verified"], False)
        said = self.say(path / "host")
        self.assertIn('"verified":true', said.stdout, said.stderr)

    def test_a_path_in_other_mounts_verifies_nobody(self):
        path = self.put(self.make_host_with_program())
        false = shutil.copy(path / "host", self.place / "false")
        self.start_broker()
        sandbox = ["bwrap", "--unshare-user", "--dev-bind", "/", "/"]
        said = self.say(*sandbox, path / "host")
        self.assertIn('"verified":true', said.stdout, said.stderr)
        said = self.say(*sandbox, "--bind", false, path / "host", path / "host")
        self.assertIn('"verified":false', said.stdout, said.stderr)

    def test_a_description_names_its_program_and_is_believed_when_it_is_approved(self):
        program = shutil.copy(pathlib.Path(sys.executable).resolve(), self.place / "editor")
        bundle = self.make_host()
        (bundle / "Info.plist").write_bytes(plistlib.dumps(
            {"CFBundleIdentifier": "org.example.Host", "Extensiond": {"Programs": [str(program)]}}))
        path = self.put(bundle)
        self.start_broker()
        self.assertIn('"verified":false', self.say(program).stdout)
        shown = self.extctl("show", path)
        self.assertIn(f"programs      {program}\n", shown.stdout)
        self.approve("org.example.Host")
        self.assertIn('"verified":true', self.say(program).stdout)
        self.assertEqual(self.host().hello["verified"], False)
        self.ask("Disable", extension="org.example.Host")
        self.assertIn('"verified":false', self.say(program).stdout)

    def test_explain_tells_of_the_host_and_its_exit_status_of_the_gates(self):
        self.put(self.make_host_with_program())
        self.put(self.make_bundle())
        self.start_broker()

        def explain(*words):
            done = self.extctl("explain", *words)
            return done.returncode, "".join(line for line in done.stdout.splitlines(True) if " host " in line)

        self.assertEqual(explain("org.example.Ext")[0], 3, "unapproved")
        self.assertEqual(explain("org.example.No")[0], 3, "not there")
        self.approve("org.example.Ext")
        self.assertEqual(explain("org.example.Ext"), (0, ""))
        name = "org.example.Host"
        status, line = explain("org.example.Ext", "--host", name)
        self.assertEqual(status, 0)
        self.assertIn(f"{name} is not connected", line)
        claimed = self.host(name)
        self.assertIn("pass", explain("org.example.Ext", "--host", name)[1])
        self.assertIn("is connected, claimed", explain("org.example.Ext", "--host", name)[1])
        claimed.close()
        self.clients.remove(claimed)
        socket = self.run_directory / "extensiond/broker/io.extensiond.Broker"
        stay = CALL + "sys.stdout.flush(); sys.stdin.read()"
        hello = json.dumps([["Hello", {"hostIdentifier": name}]])
        for command, said, status in (
            ([self.root / "Host.app/host"], "is connected, verified", 0),
            (["bwrap", "--unshare-user", "--dev-bind", "/", "/", sys.executable], "claimed, from a sandbox", 3),
        ):
            host = subprocess.Popen(
                [*command, "-c", stay, socket, hello], env={"PYTHONHOME": sys.base_prefix}, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE)
            host.stdout.readline()
            found = explain("org.example.Ext", "--host", name)
            host.communicate()
            self.assertEqual(found[0], status)
            self.assertIn(said, found[1])
            until(lambda: not self.ask("ListHosts")["hosts"], "the host's end")

    def test_a_sandboxed_peer_may_use_only_what_is_its_own(self):
        self.ready()
        socket = self.run_directory / "extensiond/broker/io.extensiond.Broker"
        calls = '[["Hello", {"hostIdentifier": "org.example.Host"}], ["Discover", {"extensionPoints": ["%s"]}], ["Activate", {"extension": "org.example.Ext"}]]' % POINT
        said = subprocess.run(
            ["bwrap", "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "/usr/bin/python3", "-c", CALL, socket, calls],
            capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(said.stdout.count("io.extensiond.Broker.NotPermitted"), 2, said.stdout + said.stderr)
        self.assertEqual(self.ask("ListInstances")["instances"], [])

    def test_a_host_that_is_killed_is_gone_and_its_extension_ends(self):
        self.ready()
        stream = self.subscribe()
        stream.receive()
        holder = subprocess.Popen(
            [BUILD / "extctl", "activate", "org.example.Ext"], env=self.env, stdout=subprocess.PIPE, text=True)
        self.addCleanup(holder.stdout.close)
        holder.stdout.readline()
        watch = self.connect("admin/io.extensiond.Admin")
        watch.send("Watch", more=True)
        self.assertEqual(watch.receive()["event"], "watching")
        holder.kill()
        holder.wait()
        while True:
            event = watch.receive()
            if event["event"] == "activation.ended":
                break
        self.assertEqual(event["reason"]["kind"], "hostGone")
        until(lambda: not self.ask("ListInstances")["instances"], "no instance")

    def test_inside_a_host_of_the_person_one_decision_is_for_all(self):
        host = self.make_host()
        self.make_bundle("org.example.Inner", where=host / "Extensions")
        path = self.put(host)
        self.start_broker()
        inner = path / "Extensions/Inner.appex"
        self.assertEqual(self.state(inner), "unapproved")
        self.approve("org.example.Host")
        self.assertEqual(self.state(inner), "enabled")
        _, _, connection = self.activate(self.host(), "org.example.Inner", connect=True)
        self.echo(connection)
        self.ask("Disable", extension="org.example.Host")
        self.assertEqual(self.state(inner), "disabled")
        self.assertEqual(connection.recv(1), b"")

    @unittest.skipUnless(os.getuid() == 0, "only root can make what only root can write")
    def test_what_root_alone_can_write(self):
        place = pathlib.Path(tempfile.mkdtemp(prefix="extensiond-test.", dir="/run"))
        self.addCleanup(shutil.rmtree, place)
        place.chmod(0o755)
        self.env["EXTENSIOND_PATH"] = str(place)
        host = self.make_host()
        self.make_bundle("org.example.Inner", where=host / "Extensions")
        self.make_bundle(
            "org.example.Stranger", where=host / "Extensions",
            info={"EXAppExtensionAttributes": {"EXExtensionPointIdentifier": "org.other.Host.Point"}})
        inner = shutil.copytree(host, place / host.name) / "Extensions/Inner.appex"
        separate = pathlib.Path(shutil.copytree(self.make_bundle(), place / "Ext.appex"))
        self.start_broker()
        self.assertEqual(self.state(inner), "enabled")
        self.assertEqual(self.state(inner.parent / "Stranger.appex"), "unapproved")
        self.assertEqual(self.state(separate), "unapproved")
        self.approve("org.example.Ext")
        digest = self.listed("org.example.Ext")[0]["digest"]
        with open(separate / "main.py", "a") as file:
            file.write("# updated by the package manager\n")
        until(lambda: self.listed("org.example.Ext")[0]["digest"] != digest, "the update to be read")
        self.assertEqual(self.state(separate), "enabled")

    def test_scope_application_takes_only_what_is_inside(self):
        self.put(self.make_host(point={"Scope": "application"}))
        self.put(self.make_bundle())
        self.start_broker()
        self.approve("org.example.Ext")
        self.assertEqual(self.host().call("Discover", extensionPoints=[POINT])["snapshot"]["identities"], [])
        with self.assertRaises(VarlinkError) as caught:
            self.activate(self.host())
        self.assertEqual(caught.exception.parameters["state"], "outOfScope")

"""What stays possible for a process of the same user that is in no sandbox: each sentence of docs/security.md about it,
one line each."""
import ctypes
import json
import os
import pathlib
import plistlib
import shutil
import sqlite3
import subprocess
import time
import unittest

from environment import IS_UNDER_MANAGER, Place, systemctl, tell
from world import DEADLINE, EXTENSION, until

libc = ctypes.CDLL(None, use_errno=True)
ATTACH, DETACH = 16, 17
NAME = "org.example.Ext"
MARK = 'open(os.environ["HOME"] + "/mark", "w").close()\n'

# Takes the broker's place with the launcher, and writes down what it is given: the control sockets of all instances.
INTRUDER = r'''
import json, os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.connect(sys.argv[1])
def call(method, **parameters):
    s.send(json.dumps({"method": "io.extensiond.Launcher." + method, "parameters": parameters}).encode())
call("Hello", request="1", protocol=1, generation="intruder")
call("Table", request="2")
rows = []
while True:
    data, descriptors, _, _ = socket.recv_fds(s, 65536, 8)
    message = json.loads(data)
    if message.get("method", "").endswith(".InstanceRow"):
        rows.append([message["parameters"]["instance"], len(descriptors)])
    if not data or message.get("parameters", {}).get("answers") == "2" or "error" in message: break
with open(sys.argv[2] + ".new", "w") as file: json.dump(rows, file)
os.rename(sys.argv[2] + ".new", sys.argv[2])
'''

HELLO = r'''
import json, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(b'{"method":"io.extensiond.Broker.Hello","parameters":{"hostIdentifier":"org.example.Host"}}\0')
print(s.recv(65536)[:-1].decode())
'''


class Outside(Place):
    def tell(self, what, outcome="done"):
        tell(f"outside, {what}", outcome)

    def unapproved(self):
        self.put(self.make_host())
        path = self.put(self.make_bundle())
        self.start_broker()
        self.assertEqual(self.state(path), "unapproved")
        return path

    def test_it_can_approve(self):
        path = self.unapproved()
        self.approve(NAME)
        self.assertEqual(self.state(path), "enabled")
        self.tell("approve through the administration's socket")

    def test_it_can_write_decisions(self):
        path = self.unapproved()
        digest = self.listed(str(path))[0]["digest"]
        self.end_broker()
        with sqlite3.connect(self.home / ".local/state/extensiond/decisions.sqlite") as database:
            database.execute(
                "INSERT INTO history (identifier, verdict, digest, entitlements, rootOwned, time, peer)"
                " VALUES (?, 'enabled', ?, '', 0, 0, 'nobody')", [NAME, digest])
        database.close()
        self.start_broker()
        self.assertEqual(self.state(path), "enabled")
        self.tell("write into the database of decisions")

    def digest(self):
        return bytes.fromhex(self.listed(NAME)[0]["digest"].rpartition(":")[2])

    def test_it_can_write_to_the_cache_of_digests(self):
        self.ready()
        path = self.root / "Ext.appex"
        approved = self.digest()
        program = EXTENSION % {"body": MARK, "scenes": ""}
        (path / "main.py").write_text(program)
        self.wait_state(path, "changed")
        changed = self.digest()
        # What was hashed right after it was written is hashed again, so that no record of that would be believed.
        written = (path / "main.py").stat().st_ctime
        until(lambda: time.time() > written + 0.1, "its record to be believed")
        self.ask("Rescan", wait=True)
        self.end_broker()
        with sqlite3.connect(self.home / ".cache/extensiond/digests.sqlite") as database:
            (record,) = database.execute("SELECT fingerprint FROM fingerprints WHERE path = ?", [str(path)]).fetchone()
            self.assertIn(changed, record)
            forged = record.replace(changed, approved)
            database.execute("UPDATE fingerprints SET fingerprint = ? WHERE path = ?", [forged, str(path)])
        database.close()
        self.start_broker()
        self.assertEqual(self.state(path), "enabled")
        self.activate(self.host())
        self.assertTrue((self.home / f".local/share/extensiond-containers/{NAME}/mark").exists())
        self.tell("write into the cache of digests")

    def test_it_can_debug_a_host(self):
        self.ready()
        host = subprocess.Popen(
            [self.program("extctl"), "connect", NAME], env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(host.communicate)
        host.stdin.write(b"x")
        host.stdin.flush()
        self.assertEqual(host.stdout.read(1), b"x")
        # Its parent may under every kernel; others where kernel.yama.ptrace_scope does not forbid it.
        self.assertEqual(libc.ptrace(ATTACH, host.pid, None, None), 0, os.strerror(ctypes.get_errno()))
        self.assertTrue(os.WIFSTOPPED(os.waitpid(host.pid, 0)[1]))
        self.assertEqual(libc.ptrace(DETACH, host.pid, None, None), 0)
        self.tell("debug a host with ptrace")

    def test_it_can_write_to_what_runs(self):
        self.ready()
        _, _, connection = self.activate(self.host(), connect=True)
        self.echo(connection)
        # The mount shows the living file: python reads it once, another program might not.
        with open(self.root / "Ext.appex/main.py", "a") as file:
            file.write("# changed")
        self.wait_state(self.root / "Ext.appex", "changed")
        self.echo(connection)
        self.tell("write to a bundle after its launch", "done, and noticed for the next launch")

    def test_it_can_use_a_developers_bundle(self):
        self.put(self.make_host())
        self.start_broker()
        developer = self.admin()
        developer.send("Develop", {"path": str(self.make_bundle())}, more=True)
        self.assertEqual([row["state"] for row in developer.receive()["extensions"]], ["enabled"])
        _, lease, connection = self.activate(self.host(), connect=True)
        self.echo(connection)
        self.assertIn("developer", self.extctl("list").stdout)
        self.tell("use a bundle as a developer's", "done, and marked in every list")
        developer.close()
        self.clients.remove(developer)
        self.assertEqual(lease.recv(1), b"")
        until(lambda: NAME not in self.extctl("list").stdout, "the end of its use")
        self.tell("keep using it when its caller has ended", "it ended too")

    def test_it_can_run_a_broker_of_its_own(self):
        """Which approves everything, and is not bound by the policy of the other one; nobody's session is served by it."""
        policies = self.place / "policy.d"
        policies.mkdir()
        (policies / "all.policy").write_text(f"[Block]\nIdentifier={NAME}\n")
        self.env["EXTENSIOND_POLICY_PATH"] = str(policies)
        self.put(self.make_host())
        path = self.put(self.make_bundle())
        self.start_broker()
        self.assertEqual(self.state(path), "blocked")
        own = self.place / "own"
        shutil.copytree(self.root, own)
        environment = {name: value for name, value in self.env.items() if name != "EXTENSIOND_POLICY_PATH"}
        environment["PATH"] = f"{self.program('extctl').parent}:{environment['PATH']}"
        done = subprocess.run(
            [self.program("extensiond"), "--ephemeral", own, "--", "extctl", "connect", NAME], env=environment,
            input="hello", capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual((done.returncode, done.stdout), (0, "hello"), done.stderr)
        self.assertEqual(self.state(path), "blocked")
        self.tell("run a broker of its own that approves everything", "done, and the person's serves nothing of it")

    def test_it_can_be_in_a_host_that_is_verified(self):
        """A copy of the interpreter stands for a host's program: it is the one, whatever it was given to run."""
        bundle = self.make_host()
        shutil.copy(pathlib.Path("/usr/bin/python3").resolve(), bundle / "host")
        (bundle / "Info.plist").write_bytes(
            plistlib.dumps({"CFBundleIdentifier": "org.example.Host", "CFBundleExecutable": "host"}))
        path = self.put(bundle)
        self.start_broker()
        self.assertFalse(self.host().hello["verified"])
        said = subprocess.run(
            [path / "host", "-c", HELLO, self.run_directory / "extensiond/broker/io.extensiond.Broker"],
            env={"PYTHONHOME": "/usr"}, capture_output=True, text=True, timeout=DEADLINE)
        self.assertIs(json.loads(said.stdout or "{}").get("parameters", {}).get("verified"), True, said.stderr)
        self.tell("load code into a host whose name is verified")

    def test_it_can_take_the_broker_s_place_with_the_launcher(self):
        self.ready()
        _, _, connection = self.activate(self.host(), connect=True)
        self.echo(connection)
        found = self.place / "found"
        command = ["/usr/bin/python3", "-c", INTRUDER,
                   str(self.run_directory / "extensiond/launcher/io.extensiond.Launcher"), str(found)]
        if IS_UNDER_MANAGER:
            # The launcher asks for the broker's control group, which is the user's as well: it tells the manager.
            (self.place / "intruder.py").write_text(INTRUDER)
            command[1:3] = [str(self.place / "intruder.py")]
            self.drop_in("ExecStart=", "ExecStart=" + " ".join(command), "Type=exec", "SystemCallFilter=")
            systemctl("restart", "--no-block", "extensiond.service")
        else:
            self.kill_broker()
            subprocess.run(command, timeout=DEADLINE, check=True)
        until(found.exists, "what the launcher gives")
        rows = json.loads(found.read_text())
        self.assertEqual([descriptors for _, descriptors in rows], [2], rows)
        self.tell("take the broker's place, and the extensions' control sockets")

    def drop_in(self, *settings):
        directory = self.home / ".config/systemd/user/extensiond.service.d"
        directory.mkdir()
        self.addCleanup(systemctl, "daemon-reload")
        self.addCleanup(shutil.rmtree, directory)
        (directory / "test.conf").write_text("\n".join(["[Service]", *settings, ""]))
        systemctl("daemon-reload")

    @unittest.skipUnless("EXTENSIOND_ROOT_OWNED" in os.environ and os.getuid() != 0, "needs a bundle that root made, and a user")
    def test_it_cannot_change_what_root_alone_can_write(self):
        place = pathlib.Path(os.environ["EXTENSIOND_ROOT_OWNED"])
        self.env["EXTENSIOND_PATH"] = str(place)
        self.put(self.make_host())
        self.start_broker()
        self.approve(NAME)
        row = self.listed(NAME)[0]
        self.assertEqual((row["path"], row["rootOwned"]), (str(place / "Ext.appex"), True))
        for what, change in (
            ("write to", lambda: open(place / "Ext.appex/main.py", "ab")),
            ("rename", lambda: (place / "Ext.appex").rename(place / "Other.appex")),
            ("change the mode of", lambda: (place / "Ext.appex/main.py").chmod(0o777)),
            ("add to", lambda: open(place / "Ext.appex/more", "wb")),
        ):
            with self.assertRaises(PermissionError):
                change()
            self.tell(f"{what} a bundle that root alone can write", "refused")
        self.activate(self.host())


if __name__ == "__main__":
    unittest.main()

"""The units as they are installed, under a real `systemd --user`. Run by Tests/Support/run-systemd-tests."""

import json
import os
import pathlib
import plistlib
import select
import shutil
import signal
import socket
import subprocess
import time
import unittest

PLACE = pathlib.Path(os.environ["PLACE"])
RUNTIME = pathlib.Path(os.environ["XDG_RUNTIME_DIR"])
HOME = pathlib.Path(os.environ["HOME"])
EXTCTL = PLACE / "usr/bin/extctl"
UNITS = ("extensiond.socket", "extensiond.service", "extensiond-launcher.service")
GREETING = "io.extensiond.example.python-greeting"


def until(condition, what):
    end = time.monotonic() + 20
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come true in 20 s")
        select.select([], [], [], 0.05)
    return value


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, **options)


def systemctl(*words):
    return run("systemctl", "--user", *words)


def show(unit, name):
    return systemctl("show", unit, "-p", name, "--value").stdout.strip()


def main_pid(unit):
    return int(show(unit, "MainPID") or 0)


def extctl(*words, **options):
    return run(EXTCTL, *words, **options)


class Host:
    """A host that holds an activation and a connection."""

    def __init__(self, identifier=GREETING):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(str(RUNTIME / "extensiond/broker/io.extensiond.Broker"))
        self.call("Hello", hostIdentifier="io.extensiond.example.host")
        self.activation = self.call("Activate", extension=identifier, connect=True)["activation"]
        self.lease, self.connection = (socket.socket(fileno=fd) for fd in self.descriptors)
        self.connection.settimeout(20)
        self.lease.settimeout(20)

    def call(self, method, **parameters):
        message = {"method": f"io.extensiond.Broker.{method}", "parameters": parameters}
        self.socket.sendall(json.dumps(message).encode() + b"\0")
        data = b""
        while not data.endswith(b"\0"):
            part, self.descriptors, _, _ = socket.recv_fds(self.socket, 65536, 4)
            if not part:
                raise EOFError
            data += part
        reply = json.loads(data[:-1])
        if "error" in reply:
            raise AssertionError(reply)
        return reply["parameters"]

    def greet(self):
        self.connection.sendall(b"Ada\n")
        return self.connection.recv(1000).decode()

    def close(self):
        for each in (self.socket, self.lease, self.connection):
            each.close()


class Units(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        units = HOME / ".config/systemd/user"
        units.mkdir(parents=True)
        for unit in UNITS:
            text = (PLACE / "units" / unit).read_text()
            if os.environ.get("LD_LIBRARY_PATH"):
                text = text.replace("[Service]\n", f"[Service]\nEnvironment=LD_LIBRARY_PATH={os.environ['LD_LIBRARY_PATH']}\n")
            (units / unit).write_text(text)
        root = HOME / ".local/share/extensiond"
        root.mkdir(parents=True)
        shutil.copytree(PLACE / "python-greeting.appex", root / "python-greeting.appex")
        shutil.copytree(PLACE / "Bundle", root / "GreetingHost.app")
        # Only the description of a host: its program is elsewhere.
        info = plistlib.loads((root / "GreetingHost.app/Info.plist").read_bytes())
        del info["CFBundleExecutable"]
        (root / "GreetingHost.app/Info.plist").write_bytes(plistlib.dumps(info))
        cls.make_probe(root)
        assert systemctl("daemon-reload").returncode == 0
        started = systemctl("enable", "--now", "extensiond.socket")
        assert started.returncode == 0, started.stderr
        assert not main_pid("extensiond.service"), "nothing runs before somebody connects"
        for identifier in (GREETING, "org.example.Probe"):
            approved = extctl("approve", "--yes", identifier)
            assert approved.returncode == 0, approved.stderr + run("journalctl", "--user", "-n", "50").stdout

    @staticmethod
    def make_probe(root):
        """An extension that tries what the units must not forbid."""
        bundle = shutil.copytree(root / "python-greeting.appex", root / "Probe.appex")
        info = plistlib.loads((bundle / "Info.plist").read_bytes())
        info["CFBundleIdentifier"] = "org.example.Probe"
        (bundle / "Info.plist").write_bytes(plistlib.dumps(info))
        main = (bundle / "main.py").read_text()
        probe = (
            "import ctypes, mmap, sys\n"
            "mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)\n"
            "pid = os.fork()\n"
            "if pid == 0: os._exit(0 if ctypes.CDLL(None).unshare(0x10000000) == 0 else ctypes.get_errno() or 1)\n"
            "print('executable memory, namespace', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), file=sys.stderr)\n"
            "print('group', open('/proc/self/cgroup').read().strip(), file=sys.stderr, flush=True)\n"
        )
        (bundle / "main.py").write_text(main.replace("control = socket", probe + "control = socket", 1))

    def setUp(self):
        self.hosts = []

    def tearDown(self):
        for host in self.hosts:
            host.close()

    def host(self, identifier=GREETING):
        host = Host(identifier)
        self.hosts.append(host)
        return host

    def activations(self):
        return json.loads(extctl("connections", "--json").stdout)["activations"]

    def test_1_the_first_connection_starts_broker_and_launcher(self):
        self.assertEqual(extctl("status").returncode, 0)
        self.assertEqual([show(unit, "ActiveState") for unit in UNITS], ["active"] * 3)
        self.assertEqual(show("extensiond.service", "StatusText"), "serving")
        self.assertEqual(show("extensiond.service", "WatchdogUSec"), "30s")
        self.assertIn("Python", self.host().greet())

    def test_2_the_brokers_death_and_restart_break_nothing(self):
        host = self.host()
        host.greet()
        for action in ("kill", "restart", "kill"):
            before = main_pid("extensiond.service")
            if action == "kill":
                os.kill(before, signal.SIGKILL)
            else:
                self.assertEqual(systemctl("restart", "extensiond.service").returncode, 0)
            self.assertIn("Python", host.greet())
            until(lambda: main_pid("extensiond.service") not in (0, before), "another broker")
            self.assertEqual([a["id"] for a in self.activations()], [host.activation])
        self.assertEqual(show("extensiond-launcher.service", "NRestarts"), "0")

    def test_3_the_launchers_death_ends_instances_and_a_new_one_comes(self):
        host = self.host()
        broker = main_pid("extensiond.service")
        os.kill(main_pid("extensiond-launcher.service"), signal.SIGKILL)
        self.assertEqual((host.lease.recv(1), host.connection.recv(1)), (b"", b""))
        self.assertIn("Python", self.host().greet())
        self.assertEqual(main_pid("extensiond.service"), broker)

    def test_4_hardening_is_what_takes_effect_and_what_an_extension_may_inherit(self):
        extctl("status")
        table = {"extensiond.service": {"NoNewPrivs": "1", "Seccomp": "2"}, "extensiond-launcher.service": {"NoNewPrivs": "1", "Seccomp": "2"}}
        manager = os.readlink("/proc/self/ns/user")
        for unit, expected in table.items():
            pid = main_pid(unit)
            status = dict(line.split(":\t", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
            self.assertEqual({key: status[key] for key in expected}, expected, unit)
            self.assertEqual(status["CapEff"], "0000000000000000")
            # A user name space of its own would hide who owns a bundle.
            self.assertEqual(os.readlink(f"/proc/{pid}/ns/user"), manager)
            self.assertEqual(os.readlink(f"/proc/{pid}/ns/mnt"), os.readlink("/proc/self/ns/mnt"))
        self.host("org.example.Probe")
        lines = until(lambda: [l for l in json.loads(extctl("logs", "org.example.Probe", "--json").stdout)["lines"] if l], "the probe's lines")
        self.assertIn("executable memory, namespace 0", lines)

    def test_5_each_instance_has_a_group_and_its_lines_their_fields(self):
        self.host("org.example.Probe")
        instance = next(i for i in json.loads(extctl("ps", "--json").stdout)["instances"] if i["extension"] == "org.example.Probe")
        group = pathlib.Path(f"/proc/{instance['pid']}/cgroup").read_text()
        self.assertIn("extensiond-launcher.service/i-" + instance["id"], group)
        journal = ("journalctl", "--user", "EXTENSION=org.example.Probe", "POINT=io.extensiond.example.host.Greeting", "-o", "json", "--no-pager")
        entry = until(lambda: run(*journal).stdout.splitlines(), "the journal's entries")[-1]
        self.assertIn("INSTANCE", json.loads(entry))

    def test_6_stopping_the_socket_stops_everything(self):
        host = self.host()
        process = main_pid("extensiond.service")
        self.assertEqual(systemctl("stop", "extensiond.socket").returncode, 0)
        self.assertEqual(host.connection.recv(1), b"")
        until(lambda: all(show(unit, "ActiveState") == "inactive" for unit in UNITS), "all units inactive")
        self.assertFalse(os.path.exists(f"/proc/{process}"))
        self.assertEqual(systemctl("--failed", "--no-legend").stdout.strip(), "")
        self.assertEqual(systemctl("start", "extensiond.socket").returncode, 0)
        self.assertIn("Python", self.host().greet())


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""A broker of its own for each test: real programs, private directories, nothing left behind."""

import ctypes
import json
import os
import pathlib
import plistlib
import select
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

BUILD = pathlib.Path(os.environ.get("EXTENSIOND_BUILD", ".build/debug")).resolve()
# What programs that were built with a sanitizer are told: where they write what they find.
SANITIZER = {name: os.environ[name] for name in ("TSAN_OPTIONS",) if name in os.environ}
POINT = "org.example.Host.Point"
# No test waits for it to pass: it is the time after which nothing will come any more, on however busy a machine.
DEADLINE = int(os.environ.get("EXTENSIOND_TEST_SECONDS", 120))

# A shell that runs the tests in the background has SIGINT ignored, and who ignores it starts programs that do.
signal.signal(signal.SIGINT, signal.default_int_handler)

EXTENSION = '''#!/usr/bin/python3
import json, os, socket, sys, threading, time
control = socket.socket(fileno=3)
fds, buffer = [], b""
def answer(parameters, error=None):
    reply = {"parameters": parameters}
    if error: reply["error"] = "io.extensiond.Extension." + error
    control.sendall(json.dumps(reply).encode() + b"\\0")
def echo(fd):
    with socket.socket(fileno=fd) as s:
        while data := s.recv(4096): s.sendall(data)
def start(p): answer({"answers": p["call"]%(scenes)s})
def accept(p):
    fd = fds.pop(0)
    threading.Thread(target=echo, args=(fd,), daemon=True).start()
    answer({"answers": p["call"]})
def stop(p):
    answer({"answers": p["call"]})
    os._exit(0)
%(body)s
while True:
    data, got, _, _ = socket.recv_fds(control, 65536, 4)
    if not data: break
    fds += got
    buffer += data
    while b"\\0" in buffer:
        message, _, buffer = buffer.partition(b"\\0")
        call = json.loads(message)
        {"Start": start, "AcceptConnection": accept, "Stop": stop}[call["method"].rsplit(".")[-1]](call["parameters"])
'''


def until(condition, what="the condition"):
    """Waits for something that nobody tells of; fails at the deadline."""
    end = time.monotonic() + DEADLINE
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come true in {DEADLINE} s")
        select.select([], [], [], 0.02)


class Doings:
    """What anybody does with a directory and what lies directly in it: inotify(7)."""

    ACCESS, CLOSE_NOWRITE = 1, 0x10

    def __init__(self, test, directory, kinds):
        libc = ctypes.CDLL(None, use_errno=True)
        self.queue = libc.inotify_init1(os.O_CLOEXEC)
        test.addCleanup(os.close, self.queue)
        if libc.inotify_add_watch(self.queue, os.fsencode(directory), kinds) < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch")

    def wait(self, name=""):
        """Until it is done with this one; without a name, with the directory itself."""
        end = time.monotonic() + DEADLINE
        while True:
            if not select.select([self.queue], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"nobody looked at {name or 'it'} in {DEADLINE} s")
            events, at = os.read(self.queue, 65536), 0
            while at < len(events):
                length, = struct.unpack_from("I", events, at + 12)
                if events[at + 16:at + 16 + length].rstrip(b"\0") == os.fsencode(name):
                    return
                at += 16 + length


class VarlinkError(Exception):
    def __init__(self, name, parameters):
        super().__init__(f"{name} {parameters}")
        self.name = name.rpartition(".")[2]
        self.parameters = parameters


class Client:
    """Varlink over a Unix socket, with descriptors."""

    def __init__(self, path):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(DEADLINE)
        connection.connect(str(path))
        self.begin(connection, path.name)

    @classmethod
    def over(cls, connection, interface):
        """Over a socket that is connected already."""
        client = cls.__new__(cls)
        client.begin(connection, interface)
        return client

    def begin(self, connection, interface):
        self.socket, self.interface, self.buffer, self.descriptors = connection, interface, b"", []

    def send(self, method, parameters=None, **flags):
        method = method if "." in method else f"{self.interface}.{method}"
        self.raw(json.dumps({"method": method, "parameters": parameters or {}, **flags}).encode() + b"\0")

    def raw(self, data):
        self.socket.sendall(data)

    def receive(self):
        while b"\0" not in self.buffer:
            data, descriptors, _, _ = socket.recv_fds(self.socket, 65536, 8)
            if not data:
                raise EOFError
            self.descriptors += descriptors
            self.buffer += data
        message, _, self.buffer = self.buffer.partition(b"\0")
        reply = json.loads(message)
        if "error" in reply:
            raise VarlinkError(reply["error"], reply.get("parameters", {}))
        return reply.get("parameters", {})

    def call(self, method, **parameters):
        self.send(method, parameters)
        return self.receive()

    def take(self):
        return socket.socket(fileno=self.descriptors.pop(0))

    def close(self):
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.socket.close()


class World(unittest.TestCase):
    """Starts a broker in directories of its own, and ends it."""

    environment = {}

    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="extensiond-test."))
        self.addCleanup(shutil.rmtree, self.place, ignore_errors=True)
        self.home, self.run_directory = self.place / "home", self.place / "run"
        for directory in (self.home, self.run_directory):
            directory.mkdir(mode=0o700)
        self.root = self.home / ".local/share/extensiond"
        self.env = {
            "HOME": str(self.home), "XDG_RUNTIME_DIR": str(self.run_directory), "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8", "XDG_DATA_DIRS": str(self.place / "share"), "SWIFT_BACKTRACE": "enable=no",
            "EXTENSIOND_IDLE_MS": "60000", **SANITIZER, **self.environment,
        }
        self.broker = None
        self.clients = []
        self.addCleanup(self.stop_broker)
        self.addCleanup(self.close_clients)

    def close_clients(self):
        for client in self.clients:
            client.close()

    # The broker

    def broker_command(self):
        return [BUILD / "extensiond"]

    def start_broker(self, **environment):
        self.log = open(self.place / "log", "ab")
        self.broker = subprocess.Popen(
            self.broker_command(), env={**self.env, **environment}, stdin=subprocess.DEVNULL, stdout=self.log,
            stderr=self.log)
        self.log.close()
        path = self.run_directory / "extensiond/admin/io.extensiond.Admin"
        until(lambda: self.can_connect(path) or self.broker.poll() is not None, "the broker's socket")
        return self.broker

    @staticmethod
    def can_connect(path):
        try:
            with socket.socket(socket.AF_UNIX) as s:
                s.connect(str(path))
            return True
        except OSError:
            return False

    def kill_broker(self):
        self.broker.kill()
        self.broker.wait()

    def stop_broker(self):
        if self.broker and self.broker.poll() is None:
            self.broker.terminate()
            try:
                self.broker.wait(DEADLINE)
            except subprocess.TimeoutExpired:
                self.broker.kill()
                self.broker.wait()
                self.end_launcher()
                raise
        if self.broker:
            was_killed = self.broker.returncode == -signal.SIGKILL
            until(lambda: not self.launcher_lives() or was_killed and self.end_launcher(), "the launcher's end")

    def end_launcher(self):
        """Nobody told a launcher whose broker was killed, and it would wait for another one."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            try:
                connection.connect(str(self.run_directory / "extensiond/launcher/io.extensiond.Launcher"))
            except OSError:
                return
            credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        process, _, _ = struct.unpack("3i", credentials)
        os.kill(process, signal.SIGTERM)

    def launcher_lives(self):
        lock = self.run_directory / "extensiond/launcher/lock"
        if not lock.exists():
            return False
        import fcntl

        with open(lock) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return False
            except OSError:
                return True

    def log_text(self):
        return (self.place / "log").read_text()

    # Peers

    def admin(self):
        return self.connect("admin/io.extensiond.Admin")

    def host(self, name="org.example.Host"):
        client = self.connect("broker/io.extensiond.Broker")
        client.hello = client.call("Hello", hostIdentifier=name)
        return client

    def connect(self, path):
        client = Client(self.run_directory / "extensiond" / path)
        self.clients.append(client)
        return client

    def subscribe(self, name="org.example.Host", points=(POINT,)):
        client = self.host(name)
        client.send("Subscribe", {"extensionPoints": list(points)}, more=True)
        return client

    def extctl(self, *arguments, **options):
        return subprocess.run(
            [BUILD / "extctl", *map(str, arguments)], env=self.env, capture_output=True, text=True, timeout=DEADLINE,
            **options)

    # Bundles

    def make_bundle(self, identifier="org.example.Ext", body="", scenes="", where=None, info=None, program=None):
        """A complete bundle beside the roots; put it into one with `put`."""
        bundle = (where or self.place / "bundles") / f"{identifier.rpartition('.')[2]}.appex"
        bundle.mkdir(parents=True)
        plist = {
            "CFBundleIdentifier": identifier, "CFBundleExecutable": "main.py", "CFBundleName": "Ext",
            "CFBundleShortVersionString": "1.0",
            "EXAppExtensionAttributes": {"EXExtensionPointIdentifier": POINT}, **(info or {}),
        }
        (bundle / "Info.plist").write_bytes(plistlib.dumps(plist))
        main = bundle / "main.py"
        content = program if program is not None else EXTENSION % {"body": body, "scenes": scenes}
        main.write_bytes(content if isinstance(content, bytes) else content.encode())
        main.chmod(0o755)
        return bundle

    def make_host(self, identifier="org.example.Host", point=None):
        bundle = self.place / "bundles" / f"{identifier.rpartition('.')[2]}.app"
        (bundle / "Extensions").mkdir(parents=True)
        (bundle / "Info.plist").write_bytes(plistlib.dumps({"CFBundleIdentifier": identifier, "CFBundleName": "Host"}))
        (bundle / "Extensions/p.appextensionpoint").write_bytes(
            plistlib.dumps({f"{identifier}.Point": {"Scope": "none", **(point or {})}}))
        return bundle

    def put(self, bundle, root=None):
        root = root or self.root
        root.mkdir(parents=True, exist_ok=True)
        target = root / bundle.name
        bundle.rename(target)
        return target

    def ask(self, method, **parameters):
        """One question to the administration, on a connection of its own."""
        client = Client(self.run_directory / "extensiond/admin/io.extensiond.Admin")
        try:
            return client.call(method, **parameters)
        finally:
            client.close()

    def launcher(self):
        """The launcher's process, when it is there."""
        return until(lambda: self.ask("Status").get("launcherPid"), "a launcher")

    def listed(self, name=None):
        return self.ask("List", **({"extension": name} if name else {}))["extensions"]

    def state(self, path):
        return next((item["state"] for item in self.listed() if item["path"] == str(path)), None)

    def wait_state(self, path, state):
        until(lambda: self.state(path) == state, f"{path} being {state}")

    def approve(self, identifier):
        item = self.listed(identifier)[0]
        self.ask(
            "Approve", extension=item["path"], digest=item["digest"], entitlements=item["entitlements"])

    def ready(self, **options):
        """A broker with a host's point and one approved extension."""
        self.put(self.make_host(**options.pop("host", {})))
        path = self.put(self.make_bundle(**options))
        self.start_broker()
        identifier = self.listed(str(path))[0]["identifier"]
        self.approve(identifier)
        return identifier

    def activate(self, host, identifier="org.example.Ext", **parameters):
        reply = host.call("Activate", extension=identifier, **parameters)
        lease = host.take()
        connection = host.take() if "connectionFileDescriptor" in reply else None
        if connection:
            connection.settimeout(DEADLINE)
            self.addCleanup(connection.close)
        lease.settimeout(DEADLINE)
        self.addCleanup(lease.close)
        return reply["activation"], lease, connection

    def echo(self, connection, data=b"x"):
        connection.sendall(data)
        self.assertEqual(connection.recv(len(data)), data)

    def events(self, stream, activation, states):
        """Reads the stream until these states of an activation came, in this order; returns the last event."""
        wanted = list(states)
        while wanted:
            event = stream.receive().get("activation")
            if event and event["activation"] == activation:
                self.assertEqual(event["state"], wanted.pop(0), event)
        return event

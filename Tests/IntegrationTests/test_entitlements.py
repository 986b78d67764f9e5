"""What an extension gets for each entitlement, and that without it there is nothing of it."""

import errno
import json
import os
import pathlib
import plistlib
import shutil
import socket
import subprocess
import threading
import unittest

from world import DEADLINE, World, VarlinkError, until

# Runs what the host sends, one line of Python a time, and sends back what it says: the answer, or the error's name.
PROBE = '''
import errno, subprocess
def serve(fd):
    with socket.socket(fileno=fd) as s, s.makefile("rw") as lines:
        for line in lines:
            try: answer = eval(json.loads(line), globals())
            except OSError as error: answer = errno.errorcode.get(error.errno, str(error))
            lines.write(json.dumps(answer) + "\\n")
            lines.flush()
echo = serve
def connect(address, family=socket.AF_UNIX):
    with socket.socket(family) as s:
        s.settimeout(60)
        s.connect(address)
        return s.recv(100).decode()
def listen(address=("127.0.0.1", 0)):
    with socket.socket() as s:
        s.bind(address)
        s.listen()
        return "listens"
def fast(address, protocol=0):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol) as s:
        s.sendto(b"x", 0x20000000, address)
        return "sent"
def multipath(address):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262) as s:
        s.connect(address)
        return "connected"
def anywhere():
    with socket.socket() as s:
        s.listen()
        return "listens"
def read(path):
    with open(path) as file: return file.read()
def write(path, text):
    with open(path, "w") as file: file.write(text)
    return "written"
def run(*words):
    got = subprocess.run(words, capture_output=True, text=True, timeout=60)
    return [got.returncode, got.stdout + got.stderr]
'''


class Listener:
    """Says hello to whoever connects."""

    def __init__(self, test, address, family=socket.AF_UNIX):
        self.socket = socket.socket(family)
        self.socket.bind(address)
        self.socket.listen()
        test.addCleanup(self.close)
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while True:
            try:
                peer, _ = self.socket.accept()
            except OSError:
                return
            with peer:
                peer.sendall(b"hello")

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class Entitled(World):
    def begin(self, *asked, **environment):
        """A broker with one probe for each dictionary of entitlements; all approved."""
        self.put(self.make_host())
        for index, entitlements in enumerate(asked):
            self.add(f"org.example.P{index}", entitlements)
        self.start_broker(**environment)
        for index in range(len(asked)):
            self.approve(f"org.example.P{index}")
        self.peer = self.host()

    def add(self, identifier, entitlements, **options):
        bundle = self.make_bundle(identifier, body=PROBE, **options)
        (bundle / "Entitlements.plist").write_bytes(plistlib.dumps(entitlements))
        return self.put(bundle)

    def start(self, index):
        """Returns what asks that extension."""
        _, _, connection = self.activate(self.peer, f"org.example.P{index}", connect=True)
        lines = connection.makefile("rw")
        self.addCleanup(lines.close)

        def ask(code):
            lines.write(json.dumps(code) + "\n")
            lines.flush()
            return json.loads(lines.readline())

        return ask

    def refusal(self, index):
        with self.assertRaises(VarlinkError) as caught:
            self.activate(self.peer, f"org.example.P{index}")
        return caught.exception.parameters["reason"]

    def make_home(self, files):
        for name, text in files.items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def landlock():
    """The kernel's level; landlock_create_ruleset has one number on all machines."""
    import ctypes

    return ctypes.CDLL(None, use_errno=True).syscall(444, None, 0, 1)


@unittest.skipIf(landlock() < 6, "this kernel's Landlock closes no abstract sockets, so no network is granted")
class Network(Entitled):
    def test_the_network_is_for_those_who_ask(self):
        outside = Listener(self, ("127.0.0.1", 0), socket.AF_INET)
        address = outside.socket.getsockname()
        Listener(self, "\0" + self.place.name)
        connects = f"connect({address!r}, socket.AF_INET)"
        abstract = f"connect('\\0{self.place.name}')"
        self.begin({}, {"network-client": True}, {"network-server": True},
                   {"network-client": True, "network-server": True})
        found = [[ask(code) for code in (connects, "listen()", abstract)]
                 for ask in (self.start(index) for index in range(4))]
        self.assertEqual(found[0], ["EACCES", "EACCES", "ECONNREFUSED"], "a network of its own, with nobody in it")
        self.assertEqual(found[1], ["hello", "EACCES", "EPERM"])
        self.assertEqual(found[2], ["EACCES", "listens", "EPERM"])
        self.assertEqual(found[3], ["hello", "listens", "EPERM"])

    def test_a_server_connects_in_no_other_way(self):
        outside = Listener(self, ("127.0.0.1", 0), socket.AF_INET)
        address = outside.socket.getsockname()
        self.begin({"network-server": True}, {"network-client": True})
        server, client = self.start(0), self.start(1)
        self.assertEqual(server(f"fast({address!r})"), "ENOTSUP")
        self.assertEqual(server(f"multipath({address!r})"), "EPROTONOSUPPORT")
        self.assertEqual(client("socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)"), "EPROTONOSUPPORT")
        # What no Landlock sees: docs/security.md says so.
        self.assertEqual(client("anywhere()"), "listens")

    def test_what_listens_can_be_reached_and_names_can_be_looked_up(self):
        self.begin({"network-server": True}, {})
        server, none = self.start(0), self.start(1)
        server("globals().update(server=socket.create_server(('127.0.0.1', 0)))")
        port = server("server.getsockname()[1]")
        with socket.create_connection(("127.0.0.1", port), DEADLINE):
            pass
        self.assertEqual(none("os.path.exists('/etc/hosts')"), False)
        self.assertEqual(server("read('/etc/hosts')"), pathlib.Path("/etc/hosts").read_text())

    def test_a_network_with_sandboxes_inside_still_has_no_abstract_sockets(self):
        Listener(self, "\0" + self.place.name)
        self.begin({"network-client": True, "nested-sandbox": True})
        ask = self.start(0)
        self.assertEqual(ask(f"connect('\\0{self.place.name}')"), "EPERM")
        self.assertEqual(ask("listen()"), "EACCES")


class Groups(Entitled):
    def test_a_group_is_shared_by_its_members_alone(self):
        self.begin({"app-groups": ["group.a"]}, {"app-groups": ["group.a", "group.b"]}, {"app-groups": ["group.b"]}, {})
        one, both, other, none = (self.start(index) for index in range(4))
        self.assertEqual(one("write(os.environ['EXTENSION_GROUPS'] + '/group.a/note', 'hello')"), "written")
        self.assertEqual(both("read('/groups/group.a/note')"), "hello")
        self.assertEqual(other("os.listdir('/groups')"), ["group.b"])
        self.assertEqual(none("os.path.exists('/groups')"), False)
        self.assertEqual(none("os.environ.get('EXTENSION_GROUPS')"), None)
        folder = self.home / ".local/share/extensiond-groups/group.a"
        self.assertEqual((folder / "note").read_text(), "hello", "the host's program finds it there")
        self.assertEqual(folder.stat().st_mode & 0o777, 0o700)
        self.assertIn(str(folder), self.extctl("show", "org.example.P0").stdout)

    def test_a_link_in_the_place_of_a_group_is_refused(self):
        groups = self.home / ".local/share/extensiond-groups"
        groups.mkdir(parents=True)
        (groups / "group.a").symlink_to(self.home)
        self.begin({"app-groups": ["group.a"]})
        reason = self.refusal(0)
        self.assertEqual((reason["kind"], reason["stage"]), ("startFailed", "app-groups"))
        self.assertIn("group.a", reason["detail"])


class Home(Entitled):
    HIDDEN = {
        ".ssh/id": "key", ".gnupg/key": "key", ".bashrc": "start", ".profile": "start",
        ".config/autostart/a.desktop": "start", ".config/systemd/user/a.service": "start",
        ".config/environment.d/a.conf": "start", ".local/share/keyrings/login": "key",
        ".local/state/extensiond/note": "ours", ".local/share/extensiond-containers/other/file": "ours",
    }

    def test_home_is_all_but_what_gives_it_away(self):
        open_files = {"Documents/letter": "dear", "plain": "text", ".config/app/settings": "x", ".local/share/app/d": "y"}
        self.make_home(open_files | self.HIDDEN)
        self.begin({"home": True}, {})
        ask, none = self.start(0), self.start(1)
        home = str(self.home)
        self.assertEqual(ask("os.environ['EXTENSION_USER_HOME']"), home)
        self.assertEqual(ask("os.environ['HOME']"), "/home/extension")
        for name, text in open_files.items():
            self.assertEqual(ask(f"read({home!r} + '/{name}')"), text)
            self.assertEqual(ask(f"write({home!r} + '/{name}', 'new')"), "written")
            self.assertEqual((self.home / name).read_text(), "new")
            self.assertEqual(none(f"read({home!r} + '/{name}')"), "ENOENT")
        for name in self.HIDDEN:
            self.assertIn(ask(f"read({home!r} + '/{name}')"), ("ENOENT", "EACCES"), name)
            self.assertIn(ask(f"write({home!r} + '/{name}', 'evil')"), ("ENOENT", "EACCES", "EROFS"), name)
            self.assertEqual((self.home / name).read_text(), self.HIDDEN[name])
        # Its own bundle, and those beside it.
        self.assertEqual(ask(f"os.path.exists({home!r} + '/.local/share/extensiond/P0.appex')"), False)
        self.assertEqual(ask(f"write({home!r} + '/Documents/new', 'n')"), "written")

    def test_what_is_absent_cannot_be_made(self):
        self.make_home({".config/app/settings": "x", "Documents/letter": "dear"})
        self.begin({"home": True})
        ask, home = self.start(0), str(self.home)
        for name in (".bash_profile", ".zshenv", ".ssh", ".config/autostart", ".config/systemd", "bin", ".local/bin"):
            self.assertEqual(ask(f"os.mkdir({home!r} + '/{name}')"), "EROFS", name)
            self.assertEqual(ask(f"write({home!r} + '/{name}', 'evil')"), "EROFS", name)
            self.assertFalse((self.home / name).exists())
        # Nor by moving away what it would lie in.
        for name in (".config", ".local", "Documents"):
            self.assertIn(ask(f"os.rename({home!r} + '/{name}', {home!r} + '/moved')"), ("EROFS", "EBUSY"), name)

    def test_where_links_lead_is_hidden_too(self):
        self.make_home({"dot/keys/id": "key", "dot/rc": "start", "dot/other": "x", "dot/config/app/file": "y"})
        (self.home / ".ssh").symlink_to("dot/keys")
        (self.home / ".bashrc").symlink_to(self.home / "dot/rc")
        (self.home / ".config").symlink_to("dot/config")
        self.begin({"home": True})
        ask, home = self.start(0), str(self.home)
        for name in ("dot/keys/id", ".ssh/id", "dot/rc", ".bashrc"):
            self.assertIn(ask(f"read({home!r} + '/{name}')"), ("ENOENT", "EACCES"), name)
        for name in ("dot/rc", "dot/keys/id", "dot/new", "dot/config/autostart"):
            self.assertIn(ask(f"write({home!r} + '/{name}', 'evil')"), ("ENOENT", "EACCES", "EROFS"), name)
        self.assertEqual(ask(f"write({home!r} + '/dot/other', 'z')"), "written")
        self.assertEqual(ask(f"read({home!r} + '/.config/app/file')"), "y")
        self.assertIn(ask(f"os.unlink({home!r} + '/.ssh')"), ("EROFS", "EBUSY"))

    def test_keys_that_no_mount_can_hide_are_not_shown(self):
        self.make_home({os.fsdecode(b"\xff/id"): "key", "Documents/letter": "dear"})
        (self.home / ".ssh").symlink_to(os.fsdecode(b"\xff"))
        self.begin({"home": True})
        self.assertIn(".ssh leads to a name that is not UTF-8", self.refusal(0)["detail"])

    def test_directories_that_were_moved_are_hidden_where_they_are(self):
        self.make_home({"cfg/autostart/a.desktop": "start", "cfg/app/file": "x", ".config/systemd/u": "start"})
        self.env["XDG_CONFIG_HOME"] = str(self.home / "cfg")
        self.begin({"home": True})
        ask, home = self.start(0), str(self.home)
        self.assertEqual(ask(f"read({home!r} + '/cfg/app/file')"), "x")
        for name in ("cfg/autostart/a.desktop", ".config/systemd/u"):
            self.assertIn(ask(f"read({home!r} + '/{name}')"), ("ENOENT", "EACCES"), name)
        self.assertEqual(ask(f"os.mkdir({home!r} + '/cfg/systemd')"), "EROFS")

    def test_a_home_with_too_much_in_it_is_refused(self):
        for index in range(900):
            (self.home / f"file{index}").touch()
        self.begin({"home": True})
        reason = self.refusal(0)
        self.assertEqual((reason["kind"], reason["stage"]), ("startFailed", "home"))
        self.assertIn("too much", reason["detail"])


NAME = "org.example.Service"
CALL = "run('dbus-send', '--session', '--print-reply', '--reply-timeout=60000', '--dest={}', '/', 'org.freedesktop.DBus.Peer.Ping')"
SERVICE = '''
import ctypes, sys
bus = ctypes.CDLL("libdbus-1.so.3")
bus.dbus_bus_get.restype = ctypes.c_void_p
connection = ctypes.c_void_p(bus.dbus_bus_get(0, None))
assert bus.dbus_bus_request_name(connection, sys.argv[1].encode(), 0, None) == 1
print("ready", flush=True)
while bus.dbus_connection_read_write_dispatch(connection, -1): pass
'''


@unittest.skipUnless(shutil.which("dbus-daemon") and shutil.which("xdg-dbus-proxy"), "needs dbus-daemon, xdg-dbus-proxy")
class SessionBus(Entitled):
    def start_bus(self):
        daemon = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address", f"--address=unix:path={self.place}/bus"],
            stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end, daemon)
        self.env["DBUS_SESSION_BUS_ADDRESS"] = daemon.stdout.readline().strip()
        for name in (NAME, NAME + "2"):
            service = subprocess.Popen(
                ["python3", "-c", SERVICE, name], stdout=subprocess.PIPE, env=self.env)
            self.addCleanup(self.end, service)
            self.assertEqual(service.stdout.readline(), b"ready\n")

    @staticmethod
    def end(process):
        process.kill()
        process.wait()
        process.stdout.close()

    def proxies(self):
        directory = self.run_directory / "extensiond/launcher/bus"
        return os.listdir(directory) if directory.exists() else []

    def test_only_the_names_that_were_asked_for_answer(self):
        self.start_bus()
        self.begin({"session-bus": [NAME]}, {})
        ask, none = self.start(0), self.start(1)
        status, text = ask(CALL.format(NAME))
        self.assertEqual(status, 0, text)
        for name in (NAME + "2", "org.freedesktop.systemd1"):
            status, text = ask(CALL.format(name))
            self.assertEqual(status, 1)
            self.assertRegex(text, "ServiceUnknown|AccessDenied|NameHasNoOwner")
        self.assertEqual(none("os.environ.get('DBUS_SESSION_BUS_ADDRESS')"), None)
        self.assertEqual(none("os.path.exists('/run/session-bus')"), False)
        self.assertNotEqual(none(CALL.format(NAME))[0], 0)
        self.assertIn(ask("os.unlink('/run/session-bus/bus')"), ("EROFS", "EACCES"))

    def test_the_filter_ends_with_the_instance(self):
        self.start_bus()
        self.begin({"session-bus": [NAME]})
        ask = self.start(0)
        self.assertEqual(len(self.proxies()), 1)
        proxies = [pid for pid in os.listdir("/proc") if pid.isdigit() and self.is_proxy(pid)]
        self.assertEqual(len(proxies), 1)
        self.ask("Stop", target="org.example.P0")
        until(lambda: not self.is_proxy(proxies[0]) and not self.proxies(), "the filter's end")

    def test_the_filter_ends_with_the_launcher(self):
        self.start_bus()
        self.begin({"session-bus": [NAME]})
        self.start(0)
        (proxy,) = [pid for pid in os.listdir("/proc") if pid.isdigit() and self.is_proxy(pid)]
        os.kill(self.launcher(), 9)
        until(lambda: not self.is_proxy(proxy), "the filter's end")

    def is_proxy(self, pid):
        try:
            return str(self.place).encode() in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().partition(b"--fd=3")[2]
        except OSError:
            return False

    def test_without_the_filter_or_a_bus_it_is_refused(self):
        self.env["EXTENSIOND_DBUS_PROXY"] = str(self.place / "absent")
        self.start_bus()
        self.begin({"session-bus": [NAME]})
        self.assertIn("xdg-dbus-proxy", self.refusal(0)["detail"])

    def test_nothing_is_started_before_the_filter_stands(self):
        broken = self.place / "broken"
        broken.write_text("#!/bin/sh\necho it is broken >&2\nexit 1\n")
        broken.chmod(0o755)
        self.env["EXTENSIOND_DBUS_PROXY"] = str(broken)
        self.start_bus()
        self.begin({"session-bus": [NAME]})
        reason = self.refusal(0)
        self.assertEqual((reason["stage"], reason["detail"]), ("sessionBus", "it is broken"))
        until(lambda: not self.proxies(), "the filter's end")

    def test_without_a_bus_it_is_refused(self):
        self.begin({"session-bus": [NAME]})
        self.assertIn("session bus", self.refusal(0)["detail"])


class Sandboxes(Entitled):
    SPACE = "run('python3', '-c', 'import ctypes, os; lib = ctypes.CDLL(None, use_errno=True); os._exit(lib.unshare(0x10000000) and ctypes.get_errno())')"
    INNER = "run('bwrap', '--unshare-all', '--ro-bind', '/usr', '/usr', '--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64', '/usr/bin/true')"

    def test_a_sandbox_inside_is_for_those_who_ask(self):
        self.begin({"nested-sandbox": True}, {})
        ask, none = self.start(0), self.start(1)
        self.assertEqual(ask(self.SPACE), [0, ""])
        self.assertEqual(none(self.SPACE), [errno.EPERM, ""])
        self.assertNotEqual(none(self.INNER)[0], 0)
        # Root without its capabilities may not be root once more: user_namespaces(7).
        if os.geteuid():
            self.assertEqual(ask(self.INNER), [0, ""])

    def test_none_is_no_sandbox(self):
        self.make_home({".ssh/id": "key"})
        self.env["SECRET_TOKEN"] = "x"
        self.begin({"none": True}, {"com.apple.security.app-sandbox": False}, {})
        for index in (0, 1):
            ask = self.start(index)
            self.assertEqual(ask(f"read({str(self.home)!r} + '/.ssh/id')"), "key")
            self.assertEqual(ask("os.readlink('/proc/self/ns/net')"), os.readlink("/proc/self/ns/net"))
            self.assertEqual(ask("os.environ['HOME']"), str(self.home))
            self.assertEqual(ask("os.environ.get('SECRET_TOKEN')"), None)
            bundle = str(self.root / f"P{index}.appex")
            self.assertEqual(ask("[os.getcwd(), os.environ['EXTENSION_BUNDLE']]"), [bundle, bundle])
        self.assertEqual(self.start(2)(f"read({str(self.home)!r} + '/.ssh/id')"), "ENOENT")


class Desktop(Entitled):
    def test_windows_and_sound_are_for_those_who_ask(self):
        runtime = self.run_directory
        (runtime / "pulse").mkdir()
        for name in ("wayland-7", "pipewire-0", "pulse/native"):
            Listener(self, str(runtime / name))
        self.begin({"wayland": True}, {"audio": True}, {}, WAYLAND_DISPLAY="wayland-7")
        windows, sound, none = (self.start(index) for index in range(3))
        path = "os.environ['XDG_RUNTIME_DIR'] + '/' + "
        self.assertEqual(windows(f"connect({path} os.environ['WAYLAND_DISPLAY'])"), "hello")
        self.assertEqual(windows(f"connect({path} 'pipewire-0')"), "ENOENT")
        for name in ("pipewire-0", "pulse/native"):
            self.assertEqual(sound(f"connect({path} {name!r})"), "hello")
        self.assertEqual(sound("os.path.exists('/run/wayland-0')"), False)
        self.assertEqual(none("os.environ.get('XDG_RUNTIME_DIR')"), None)
        self.assertEqual(none("[os.path.exists('/run/' + name) for name in ('wayland-0', 'pipewire-0', 'pulse')]"), [False] * 3)

    def test_what_this_session_has_not_is_refused_with_what_to_do(self):
        self.begin({"wayland": True}, {"audio": True})
        self.assertIn("WAYLAND_DISPLAY", self.refusal(0)["detail"])
        self.assertIn("PipeWire", self.refusal(1)["detail"])


class Words(Entitled):
    def test_an_approval_shows_what_is_asked_for_and_what_is_new(self):
        self.begin({"network-client": True})
        shown = self.extctl("show", "org.example.P0").stdout
        self.assertIn("network-client: It can connect to any computer", shown)
        self.assertNotIn("NEW", shown)
        entry = json.loads(self.extctl("show", "--json", "org.example.P0").stdout)["extensions"][0]
        self.assertEqual([item["name"] for item in entry["asks"]], ["network-client"])
        self.assertIn("localhost", entry["asks"][0]["meaning"])
        path = self.root / "P0.appex"
        (path / "Entitlements.plist").write_bytes(plistlib.dumps({"network-client": True, "none": True}))
        self.wait_state(path, "changed")
        said = self.extctl("approve", "--yes", "org.example.P0").stdout
        self.assertIn("none (NEW): No sandbox: it can do all that you can.", said)
        self.assertIn("network-client: It can connect", said)
        self.assertIn("asks for none: No sandbox", self.extctl("lint", path).stdout)
        self.assertIn("none: No sandbox: it can do all", self.extctl("explain", "org.example.P0").stdout)

    def test_an_ordinary_program_without_a_sandbox(self):
        self.put(self.make_host())
        info = {"Extensiond": {"Runtime": "stdio"}}
        path = self.make_bundle("org.example.P0", program="#!/bin/sh\ncat $HOME/secret; pwd\n", info=info)
        (path / "Entitlements.plist").write_bytes(plistlib.dumps({"none": True}))
        path = self.put(path)
        (self.home / "secret").write_text("key\n")
        self.start_broker()
        self.approve("org.example.P0")
        _, _, connection = self.activate(self.host(), "org.example.P0", connect=True)
        with connection.makefile() as lines:
            self.assertEqual(lines.read(), f"key\n{path}\n")

    def test_an_unknown_one_makes_it_invalid(self):
        self.put(self.make_host())
        path = self.add("org.example.P0", {"netwrok-client": True})
        self.start_broker()
        item = self.listed(str(path))[0]
        self.assertEqual(item["state"], "invalid")
        self.assertIn("netwrok-client", item["explanation"])
        self.assertIn("network-client", item["explanation"])


if __name__ == "__main__":
    unittest.main()

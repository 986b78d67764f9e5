"""A hostile extension, under a real broker, tries to get out. One line an attempt."""
import errno
import json
import os
import pathlib
import platform
import socket
import unittest

from environment import Place, tell
from world import EXTENSION, until

HOSTILE = (pathlib.Path(__file__).parent / "hostile.py").read_text()

# What each attempt may come to. Where there are several, Landlock's level, or being root outside, decides.
EXPECTED = {
    "read ~/.ssh by its path": "ENOENT",
    "read /etc/passwd": "ENOENT",
    "read the person's home directory": "ENOENT",
    "leave the container by ..": "ENOENT",
    "read through a symbolic link in the container": "ENOENT",
    "read through /proc/1/root": "ENOENT EACCES",
    "write into the person's home directory": "ENOENT",
    "write into another's container": "ENOENT",
    "write beside the container by ..": "EROFS EACCES",
    "write into /usr": "EROFS",
    "write into the root directory": "EROFS EACCES",
    "write into /dev": "EROFS EACCES",
    "change its own bundle": "EROFS",
    "rename its own program": "EROFS",
    "change the mode of its own program": "EROFS",
    "link to its own program from the container": "EXDEV",
    "mount over its own program": "EPERM",
    "change a kernel setting": "EROFS EACCES",
    "open the machine's memory": "ENOENT",
    "open the terminal": "ENXIO",
    "connect to the broker": "ENOENT",
    "connect to the administration": "ENOENT",
    "connect to the launcher": "ENOENT",
    "connect to the session bus": "ENOENT",
    "connect to the service manager": "ENOENT",
    "write to the journal": "ENOENT",
    "connect to an abstract socket": "ECONNREFUSED EPERM",
    "connect to a port of the machine": "ECONNREFUSED EACCES",
    "connect to the world": "ENETUNREACH EACCES",
    # It goes nowhere: its own loopback.
    "send a datagram to the machine": "done",
    "make a raw socket": "EPERM",
    "make a packet socket": "EAFNOSUPPORT",
    "make a socket to the hypervisor": "EAFNOSUPPORT",
    "signal the host": "ESRCH",
    "signal everybody": "ESRCH",
    # extension-init and itself.
    "see other processes": "2",
    "trace the first process": "EPERM",
    "trace the host": "EPERM",
    "read another process's memory": "EPERM",
    "load a key": "EPERM",
    "ask for a key": "EPERM",
    "reach the session's keys": "EPERM",
    "make a user name space": "EPERM",
    "make a user name space by clone": "EPERM",
    "mount": "EPERM",
    "change the root": "EPERM",
    "load a BPF program": "EPERM",
    "start io_uring": "EPERM",
    "handle page faults of its own": "EPERM",
    "fill /tmp": "ENOSPC",
    "fill /run": "ENOSPC",
    "fill /dev/shm": "ENOSPC",
    # A controller counts what is used, not what is asked for: test_floods.py uses it.
    "take more memory than it may": "done ENOMEM" if "memory" in Place.controllers else "ENOMEM",
    "write a file larger than it may be": "EFBIG",
    "open files without end": "EMFILE",
    # Nothing but a controller of control groups holds root's number.
    "fork without end": "EAGAIN" if os.getuid() != 0 or "pids" in Place.controllers else "done",
    # These work, and are looked at from outside.
    "leave a process behind": "done",
    "listen in the container": "done",
    "drown the logs": "done",
}


def processes(name):
    return [p for p in pathlib.Path("/proc").iterdir() if p.name.isdigit() and commanded(p).startswith(name.encode())]


def commanded(process):
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


# It neither ends when it is told, nor alone keeps what it was given.
UNWILLING = """
def accept(p):
    fd = fds.pop(0)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))
            while True: signal.pause()
        os._exit(0)
    threading.Thread(target=echo, args=(fd,), daemon=True).start()
    answer({"answers": p["call"]})
def stop(p): pass
signal.signal(signal.SIGTERM, signal.SIG_IGN)
"""


@unittest.skipUnless(platform.machine() == "x86_64", "the attempts use numbers of x86-64")
class Escape(Place):
    def outside(self, opened, address):
        """A socket that is not the extension's."""
        self.addCleanup(opened.close)
        opened.bind(address)
        if opened.type == socket.SOCK_STREAM:
            opened.listen()
        return opened

    def facts(self):
        secret, other = self.home / ".ssh/id", self.container.parent / "org.example.Other"
        secret.parent.mkdir()
        secret.write_text("secret")
        other.mkdir(parents=True)
        self.abstract = f"extensiond-escape-{os.getpid()}"
        self.outside(socket.socket(socket.AF_UNIX), "\0" + self.abstract)
        tcp = self.outside(socket.socket(), ("127.0.0.1", 0))
        self.udp = self.outside(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), ("127.0.0.1", 0))
        bus, manager = self.run_directory / "bus", self.run_directory / "systemd/private"
        for path in (bus, manager):
            if not path.exists():
                path.parent.mkdir(exist_ok=True)
                self.outside(socket.socket(socket.AF_UNIX), str(path))
        run = self.run_directory / "extensiond"
        return {
            "secret": str(secret), "home": str(self.home), "other": str(other),
            "broker": str(run / "broker/io.extensiond.Broker"), "admin": str(run / "admin/io.extensiond.Admin"),
            "launcher": str(run / "launcher/io.extensiond.Launcher"), "bus": str(bus), "manager": str(manager),
            "abstract": self.abstract, "tcp": tcp.getsockname()[1], "udp": self.udp.getsockname()[1],
            "host": os.getpid(), "survivor": f"extensiond-survivor-{os.getpid()}",
        }

    @property
    def container(self):
        return self.home / ".local/share/extensiond-containers/org.example.Ext"

    def try_listening(self):
        """Its path may be longer than an address."""
        directory = os.open(self.container, os.O_PATH)
        try:
            with socket.socket(socket.AF_UNIX) as s:
                s.connect(f"/proc/self/fd/{directory}/listening")
            return "done"
        except OSError as error:
            return errno.errorcode[error.errno]
        finally:
            os.close(directory)

    def test_it_stays_inside(self):
        facts = self.facts()
        rest = EXTENSION % {"body": UNWILLING, "scenes": ""}
        # It tries a lot before it answers.
        self.ready(program=HOSTILE % {"facts": facts, "rest": rest}, info={"Extensiond": {"StartTimeout": 120}})
        host = self.host()
        host.socket.settimeout(130)
        _, lease, connection = self.activate(host, connect=True)
        self.echo(connection)
        outcomes = dict(json.loads((self.container / "outcomes").read_text()))
        self.assertEqual(set(outcomes), set(EXPECTED))
        for what, outcome in outcomes.items():
            with self.subTest(what):
                tell(what, outcome)
                self.assertIn(outcome, EXPECTED[what].split())
        # What it did not find is there.
        for name in ("secret", "home", "other", "broker", "admin", "launcher", "bus", "manager"):
            self.assertTrue(os.path.exists(facts[name]), name)
        # Nothing came out.
        self.udp.setblocking(False)
        with self.assertRaises(BlockingIOError):
            self.udp.recv(10)
        self.check_logs()
        self.check_end(facts["survivor"], lease, connection)

    def check_logs(self):
        lines = self.ask("Logs", extension="org.example.Ext")["lines"]
        self.assertLessEqual(len(lines), 500)
        tell("drown the logs, seen from outside", f"{len(lines)} lines kept")
        if self.journal() is not None:
            until(lambda: any("lines were left out" in line for line in self.journal()), "the count of what was left out")
            noise = [line for line in self.journal() if line.startswith("noise ")]
            # 200 a second; the others are counted.
            self.assertTrue(0 < len(noise) < 10_000, len(noise))
            tell("drown the journal", f"{len(noise)} of 20000 lines came, the others are counted")

    def check_end(self, survivor, lease, connection):
        """Its sockets and its processes end with its permission."""
        self.assertTrue(processes(survivor))
        self.assertEqual(self.try_listening(), "done")
        self.assertEqual(self.extctl("disable", "org.example.Ext").returncode, 0)
        self.assertEqual(connection.recv(1), b"")
        self.assertEqual(lease.recv(1), b"")
        tell("keep a connection after it was disabled, by a process that left", "closed")
        until(lambda: not processes(survivor), "the survivor's end")
        tell("leave a process behind, seen from outside", "it ended with its instance")
        until(lambda: self.try_listening() == "ECONNREFUSED", "the end of its own socket")
        tell("listen in the container after it was disabled", "nobody answers")


if __name__ == "__main__":
    unittest.main()

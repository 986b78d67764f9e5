"""A hostile extension, under a real broker, tries to get out. One line an attempt."""
import json
import os
import pathlib
import platform
import socket
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "IntegrationTests"))
from world import EXTENSION, World, until  # noqa: E402

HOSTILE = (pathlib.Path(__file__).parent / "hostile.py").read_text()

# What each attempt may come to. Where there are several, Landlock's level, or being root outside, decides.
EXPECTED = {
    "read ~/.ssh by its path": "ENOENT",
    "read /etc/passwd": "ENOENT",
    "read the person's home directory": "ENOENT",
    "leave the container by ..": "ENOENT",
    "read through a symbolic link in the container": "ENOENT",
    "read through /proc/1/root": "ENOENT EACCES",
    "write into /usr": "EROFS",
    "write into the root directory": "EROFS EACCES",
    "write into /dev": "EROFS EACCES",
    "change its own bundle": "EROFS",
    "rename its own program": "EROFS",
    "change the mode of its own program": "EROFS",
    "change a kernel setting": "EROFS EACCES",
    "open the machine's memory": "ENOENT",
    "open the terminal": "ENXIO",
    "connect to the broker": "ENOENT",
    "connect to the administration": "ENOENT",
    "connect to the launcher": "ENOENT",
    "connect to the session bus": "ENOENT",
    "connect to an abstract socket": "ECONNREFUSED EPERM",
    "connect to a port of the machine": "ECONNREFUSED EACCES",
    "connect to the world": "ENETUNREACH EACCES",
    # It goes nowhere: its own loopback.
    "send a datagram to the machine": "done",
    "make a raw socket": "EPERM",
    "make a packet socket": "EAFNOSUPPORT",
    "make a socket to the hypervisor": "EAFNOSUPPORT",
    "signal the host": "ESRCH",
    # extension-init and itself.
    "see other processes": "2",
    "trace the first process": "EPERM",
    "read another process's memory": "EPERM",
    "load a key": "EPERM",
    "make a user name space": "EPERM",
    "make a user name space by clone": "EPERM",
    "mount": "EPERM",
    "change the root": "EPERM",
    "load a BPF program": "EPERM",
    "start io_uring": "EPERM",
    "handle page faults of its own": "EPERM",
    "fill /run": "ENOSPC",
    "fill /dev/shm": "ENOSPC",
    "take more memory than it may": "ENOMEM",
    "write a file larger than it may be": "EFBIG",
    "open files without end": "EMFILE",
    # Nothing but a controller of control groups holds root's number.
    "fork without end": "done" if os.getuid() == 0 else "EAGAIN",
    # These two work, and are looked at from outside.
    "leave a process behind": "done",
    "drown the logs": "done",
}


def processes(name):
    return [p for p in pathlib.Path("/proc").iterdir() if p.name.isdigit() and commanded(p).startswith(name.encode())]


def commanded(process):
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


@unittest.skipUnless(platform.machine() == "x86_64", "the attempts use numbers of x86-64")
class Escape(World):
    def test_it_stays_inside(self):
        secret = self.home / ".ssh/id"
        secret.parent.mkdir()
        secret.write_text("secret")
        abstract, tcp, udp, bus = (
            socket.socket(socket.AF_UNIX), socket.socket(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
            socket.socket(socket.AF_UNIX))
        for outside in (abstract, tcp, udp, bus):
            self.addCleanup(outside.close)
        abstract.bind("\0extensiond-escape-%d" % os.getpid())
        bus.bind(str(self.run_directory / "bus"))
        tcp.bind(("127.0.0.1", 0))
        udp.bind(("127.0.0.1", 0))
        for listener in (abstract, tcp, bus):
            listener.listen()
        run = self.run_directory / "extensiond"
        survivor = "extensiond-survivor-%d" % os.getpid()
        facts = {
            "secret": str(secret), "home": str(self.home), "broker": str(run / "broker/io.extensiond.Broker"),
            "admin": str(run / "admin/io.extensiond.Admin"), "launcher": str(run / "launcher/io.extensiond.Launcher"),
            "bus": str(self.run_directory / "bus"), "abstract": "extensiond-escape-%d" % os.getpid(),
            "tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1], "host": os.getpid(), "survivor": survivor,
        }
        rest = EXTENSION % {"body": "", "scenes": ""}
        # All of it is tried before it answers to Start.
        self.ready(program=HOSTILE % {"facts": facts, "rest": rest}, info={"Extensiond": {"StartTimeout": 120}})
        _, lease, connection = self.activate(self.host(), connect=True)
        self.echo(connection)
        container = self.home / ".local/share/extensiond-containers/org.example.Ext"
        outcomes = dict(json.loads((container / "outcomes").read_text()))
        self.assertEqual(set(outcomes), set(EXPECTED))
        for what, outcome in outcomes.items():
            with self.subTest(what):
                print(f"{what}: {outcome}", flush=True)
                self.assertIn(outcome, EXPECTED[what].split())
        # Nothing came out.
        udp.setblocking(False)
        with self.assertRaises(BlockingIOError):
            udp.recv(10)
        lines = self.ask("Logs", extension="org.example.Ext")["lines"]
        self.assertLessEqual(len(lines), 500)
        print(f"drown the logs, seen from outside: {len(lines)} lines kept", flush=True)
        self.assertTrue(processes(survivor))
        # Its sockets and its processes end with its permission.
        self.assertEqual(self.extctl("disable", "org.example.Ext").returncode, 0)
        self.assertEqual(connection.recv(1), b"")
        self.assertEqual(lease.recv(1), b"")
        until(lambda: not processes(survivor), "the survivor's end")
        print("leave a process behind, seen from outside: it ended with its instance", flush=True)
        print("keep a connection after it was disabled: closed", flush=True)


if __name__ == "__main__":
    unittest.main()

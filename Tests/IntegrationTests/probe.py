"""The program probe-host, driven from here, and the bundles that its tests use."""

import os
import pathlib
import select
import subprocess
import time

from world import BUILD, DEADLINE, World, until

OTHER = "org.example.Host.Other"
# Ends as the line says; answers every other one.
ENDING = """
def echo(fd):
    # One file for both ways would forget what it has read when it writes.
    with socket.socket(fileno=fd) as s, s.makefile() as lines:
        for line in lines:
            if line == "exit\\n": os._exit(7)
            if line == "abort\\n": os.abort()
            if line == "kill\\n": os.kill(os.getpid(), 9)
            s.sendall(line.encode())
"""
SCENES = ', "scenes": ["One", "Two"]'


class Probe:
    """A running probe-host, or another program of its kind. Its lines are results of commands, or events in their order."""

    def __init__(self, env, program=BUILD / "probe-host", runner=()):
        self.process = subprocess.Popen(
            [*runner, program], env={**env, "EXTENSIOND_HOST_IDENTIFIER": "org.example.Host"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.sent = 0
        self.buffer = b""
        self.results, self.events = {}, []

    def send(self, command):
        self.sent += 1
        self.process.stdin.write(f"#{self.sent} {command}\n".encode())
        self.process.stdin.flush()
        return f"#{self.sent}"

    def do(self, command):
        return self.result(self.send(command))

    def result(self, tag):
        self.read_until(lambda: tag in self.results, f"the result of {tag}")
        return self.results.pop(tag)

    def event(self):
        self.read_until(lambda: self.events, "an event")
        return self.events.pop(0)

    def nothing_more(self):
        """No event came that nobody asked for, as far as the host's main actor has come."""
        for _ in range(3):
            self.do("list")
        return self.events == []

    def read_until(self, condition, what):
        end = time.monotonic() + DEADLINE
        while not condition():
            readable, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            data = os.read(self.process.stdout.fileno(), 65536) if readable else b""
            if not data:
                raise AssertionError(f"{what} did not come; events {self.events}, status {self.process.poll()}")
            *lines, self.buffer = (self.buffer + data).split(b"\n")
            for line in lines:
                first, _, rest = line.decode().partition(" ")
                if first.startswith("#"):
                    self.results[first] = rest
                else:
                    self.events.append(line.decode())

    def resources(self):
        place = pathlib.Path(f"/proc/{self.process.pid}")
        return len(os.listdir(place / "fd")), len(os.listdir(place / "task"))

    def sockets(self):
        names = []
        for path in pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir():
            try:
                names.append(os.readlink(path))
            except FileNotFoundError:  # Closed meanwhile.
                pass
        return sum(name.startswith("socket:") for name in names)

    def close(self):
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class ProbeWorld(World):
    environment = {"EXTENSIOND_SETTLE_MS": "0"}

    def probe(self, *program, **environment):
        probe = Probe({**self.env, **environment}, *program)
        self.addCleanup(probe.close)
        return probe

    def extension(self, name, version="1.0", where="bundles", **options):
        """A bundle that is named for its identifier's last part."""
        return self.make_bundle(
            f"org.example.{name}", where=self.place / where,
            info={"CFBundleName": name, "CFBundleShortVersionString": version, **options.pop("info", {})}, **options)

    def instances(self):
        return self.ask("ListInstances")["instances"]

    def unused(self):
        """No host uses anything, as `extctl ps` has it."""
        until(lambda: not self.instances(), "no instance")
        self.assertEqual(self.ask("ListActivations")["activations"], [])
        self.assertNotIn("org.example", self.extctl("ps").stdout)

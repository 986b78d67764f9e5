"""An extension that fills memory and disk until something ends it. One line an attempt.

What ends it differs: a controller of control groups counts the whole instance, without one each process has its limit."""
import unittest

from environment import Place, tell
from world import VarlinkError

MEBIBYTE = 1 << 20
MEMORY = 128 * MEBIBYTE

# It floods what the host names, and says how far it came.
FLOODS = '''
import mmap
kept = []
def private():
    while True: kept.append(b"x" * (1 << 20))
def shared():
    kept.append(mmap.mmap(-1, 160 << 20))
    for number in range(160): kept[-1].write(b"x" * (1 << 20))
def temporary():
    with open("/tmp/x", "wb") as file:
        for number in range(160): file.write(b"x" * (1 << 20))
def container():
    with open(os.environ["HOME"] + "/x", "wb") as file: file.write(b"x" * (2 << 20))
    time.sleep(1000)
def helpers():
    """Each of them less than it may, together more."""
    read, write = os.pipe()
    for number in range(4):
        if os.fork() == 0:
            control.close()
            kept.append(b"x" * (48 << 20))
            os.write(write, b"x")
            time.sleep(1000)
    for number in range(4): os.read(read, 1)
def echo(fd):
    with socket.socket(fileno=fd) as s, s.makefile("r") as lines:
        for line in lines:
            try: answer = globals()[line.strip()]() or "done"
            except MemoryError: answer = "ENOMEM"
            kept.clear()
            s.sendall(answer.encode() + b"\\n")
'''


class Floods(Place):
    environment = {"EXTENSIOND_CONTAINER_BYTES": str(MEBIBYTE), "EXTENSIOND_CONTAINER_MS": "50"}

    def flood(self, what):
        """What it says, or why it ended, as its host is told."""
        self.ready(body=FLOODS, info={"Extensiond": {"Limits": {"Memory": "128M"}}})
        stream = self.subscribe()
        stream.receive()
        activation, lease, connection = self.activate(self.host(), connect=True)
        connection.sendall(what.encode() + b"\n")
        answer = connection.recv(100).decode().strip()
        if answer:
            return answer, None
        self.assertEqual(lease.recv(1), b"")
        while True:
            event = stream.receive().get("activation")
            if event and event["state"] == "deactivated":
                return event["reason"]["kind"], event["reason"]

    def memory(self, what, name, without):
        """Without a controller it is as docs/security.md says."""
        outcome, reason = self.flood(name)
        tell(what, outcome)
        if "memory" in Place.controllers:
            self.assertEqual(outcome, "outOfMemory")
            self.assertEqual(reason["limit"], MEMORY)
            self.assertTrue(MEMORY * 3 // 4 < reason["peak"] <= MEMORY, reason)
        else:
            self.assertEqual(outcome, without)

    def test_memory(self):
        self.memory("fill memory", "private", "ENOMEM")

    def test_shared_memory(self):
        self.memory("fill memory by a shared mapping", "shared", "done")

    def test_memory_of_many(self):
        self.memory("fill memory by many processes", "helpers", "done")

    def test_memory_by_files(self):
        self.memory("fill memory by files in /tmp", "temporary", "done")

    def test_disk(self):
        outcome, reason = self.flood("container")
        tell("fill the disk", f"{outcome} {reason['rule']}")
        self.assertEqual((outcome, reason["rule"], reason["limit"]), ("policy", "containerSize", MEBIBYTE))
        with self.assertRaises(VarlinkError) as caught:
            self.activate(self.host())
        again = caught.exception.parameters["reason"]
        self.assertEqual(again["rule"], "containerSize")
        tell("start again with a full container", f"{again['kind']} {again['rule']}")


if __name__ == "__main__":
    unittest.main()

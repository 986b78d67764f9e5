"""hanging_filesystem.py DIRECTORY FILE: a FUSE file system, spoken to the kernel without a library, that holds FILE as
"program". It ends with its standard input.

After "hang" on its standard input it tells nobody any more what there is and what it is like, and still gives the content:
programs run on, and whoever asks about them waits for ever. It says "asked" when the first one does."""

import ctypes
import os
import select
import struct
import sys

LOOKUP, FORGET, GETATTR, STATFS, OPEN, READ, RELEASE, FLUSH, INIT, INTERRUPT, BATCH_FORGET = (
    1, 2, 3, 17, 14, 15, 18, 25, 26, 36, 42)
ROOT, PROGRAM = 1, 2


class Errno(Exception):
    pass


class FileSystem:
    def __init__(self, directory, file):
        with open(file, "rb") as program:
            self.content = program.read()
        self.hangs = self.was_asked = False
        self.device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        libc = ctypes.CDLL(None, use_errno=True)
        options = f"fd={self.device},rootmode=40755,user_id={os.getuid()},group_id={os.getgid()}"
        if libc.mount(b"hanging", os.fsencode(directory), b"fuse", 2 | 4, options.encode()) != 0:
            sys.exit(f"mount: {os.strerror(ctypes.get_errno())}")

    def attributes(self, node):
        mode, size = (0o40755, 0) if node == ROOT else (0o100755, len(self.content))
        times = (0,) * 6
        return struct.pack("<6Q10I", node, size, size // 512, *times[:3], *times[3:], mode, 1, os.getuid(), os.getgid(),
                           0, 4096, 0)

    def answer(self, kind, node, body):
        """What a request gets. Nothing may be remembered: each valid time is 0."""
        if kind == INIT:
            return struct.pack("<4I2H2I2H8I", 7, 31, 65536, 0, 0, 0, 65536, 1, 0, 0, *(0,) * 8)
        if kind == LOOKUP:
            if body != b"program\0":
                raise Errno(2)
            return struct.pack("<4Q2I", PROGRAM, 0, 0, 0, 0, 0) + self.attributes(PROGRAM)
        if kind == GETATTR:
            return struct.pack("<Q2I", 0, 0, 0) + self.attributes(node)
        if kind == OPEN:
            return struct.pack("<Q2I", 0, 2, 0)  # FOPEN_KEEP_CACHE
        if kind == READ:
            _, offset, size = struct.unpack_from("<2QI", body)
            return self.content[offset:offset + size]
        if kind in (RELEASE, FLUSH):
            return b""
        raise Errno(38)

    def serve(self):
        request = os.read(self.device, 1 << 20)
        _, kind, unique, node = struct.unpack_from("<2I2Q", request)
        if kind in (FORGET, BATCH_FORGET, INTERRUPT):
            return
        if self.hangs and kind in (LOOKUP, GETATTR, STATFS):
            if not self.was_asked:
                print("asked", flush=True)
            self.was_asked = True
            return
        try:
            error, body = 0, self.answer(kind, node, request[40:])
        except Errno as failure:
            error, body = -failure.args[0], b""
        os.write(self.device, struct.pack("<IiQ", 16 + len(body), error, unique) + body)


def main():
    system = FileSystem(*sys.argv[1:])
    print("mounted", flush=True)
    while True:
        ready, _, _ = select.select([system.device, 0], [], [])
        if 0 in ready:
            if os.read(0, 64) != b"hang\n":
                return
            system.hangs = True
            print("hangs", flush=True)
        if system.device in ready:
            system.serve()


if __name__ == "__main__":
    main()

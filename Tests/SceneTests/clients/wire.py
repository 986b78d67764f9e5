"""A Wayland client that speaks the wire itself, for what no toolkit does."""
import array
import os
import socket
import struct


class Client:
    """Objects are numbers. `on[number, event]` is called with the rest of the event; descriptors wait in `descriptors`."""

    def __init__(self):
        self.socket = socket.socket(fileno=int(os.environ["WAYLAND_SOCKET"]))
        self.last, self.received, self.descriptors, self.on, self.names = 1, b"", [], {}, {}
        self.registry = self.make(1, 1)
        self.on[self.registry, 0] = self.found
        self.settle()

    def found(self, body):
        name, length = struct.unpack_from("=II", body)
        version, = struct.unpack_from("=I", body, 8 + (length + 3) // 4 * 4)
        self.names[body[8:8 + length - 1].decode()] = name, version

    def send(self, number, opcode, *arguments, descriptor=None):
        """Whole numbers and texts; None is no object."""
        body = b""
        for argument in arguments:
            if isinstance(argument, str):
                text = argument.encode() + b"\0"
                body += struct.pack("=I", len(text)) + text + bytes(-len(text) % 4)
            else:
                body += struct.pack("=I", (argument or 0) & 0xffffffff)
        message = struct.pack("=II", number, (len(body) + 8) << 16 | opcode) + body
        given = [] if descriptor is None else [
            (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor]))]
        self.socket.sendmsg([message], given)

    def new(self):
        self.last += 1
        return self.last

    def make(self, number, opcode, *arguments):
        """For requests whose new object comes first."""
        made = self.new()
        self.send(number, opcode, made, *arguments)
        return made

    def bind(self, interface, version=1):
        made = self.new()
        self.send(self.registry, 0, self.names[interface][0], interface, version, made)
        return made

    def settle(self):
        """Until the server has answered everything so far."""
        done = []
        callback = self.make(1, 0)
        self.on[callback, 0] = done.append
        while not done:
            self.turn()

    def turn(self):
        data, given, _, _ = self.socket.recvmsg(65536, socket.CMSG_SPACE(32 * 4))
        for _, _, numbers in given:
            self.descriptors += array.array("i", numbers)
        if not data:
            raise SystemExit(0)
        self.received += data
        while len(self.received) >= 8:
            number, size = struct.unpack_from("=II", self.received)
            if len(self.received) < size >> 16:
                break
            body, self.received = self.received[8:size >> 16], self.received[size >> 16:]
            if (number, size & 0xffff) == (1, 0):
                raise SystemExit(f"error: {body[12:]}")
            self.on.get((number, size & 0xffff), lambda body: None)(body)

    def run(self):
        while True:
            self.turn()


class Window:
    """A window of one colour, on a client of its own. It is shown when it runs: what hears of it is made before."""

    def __init__(self, width=64, height=64):
        self.client, self.isHidden = Client(), False
        client = self.client
        self.compositor, self.shell = client.bind("wl_compositor", 4), client.bind("xdg_wm_base")
        memory, self.seat = client.bind("wl_shm"), client.bind("wl_seat", 5)
        self.surface = client.make(self.compositor, 0)
        self.role = client.make(self.shell, 2, self.surface)
        client.make(self.role, 1)
        client.on[self.role, 0] = self.configured
        client.on[self.shell, 0] = lambda body: client.send(self.shell, 3, *struct.unpack("=I", body))
        pixels = os.memfd_create("pixels")
        os.ftruncate(pixels, width * height * 4)
        pool = client.new()
        client.send(memory, 0, pool, width * height * 4, descriptor=pixels)
        self.buffer = client.make(pool, 0, 0, width, height, width * 4, 1)

    def run(self):
        self.client.send(self.surface, 6)
        self.client.run()

    def configured(self, body):
        self.client.send(self.role, 4, *struct.unpack("=I", body))
        if not self.isHidden:
            self.show()

    def show(self, isShown=True):
        self.isHidden = not isShown
        self.client.send(self.surface, 1, self.buffer if isShown else None, 0, 0)
        self.client.send(self.surface, 2, 0, 0, 64, 64)
        self.client.send(self.surface, 6)

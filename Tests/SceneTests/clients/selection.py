"""What no honest program does with a clipboard, by its first argument; it prints what came of it."""
import fcntl
import os
import socket
import struct
import sys
from wire import Window

TYPE = "text/plain;charset=utf-8"
mode = sys.argv[1]
window = Window()
client = window.client
manager = client.bind("wl_data_device_manager", 3)
keyboard, pointer = client.make(window.seat, 1), client.make(window.seat, 0)
device = client.make(manager, 1, window.seat)
offers = []


def source(length=0):
    made = client.make(manager, 0)
    client.send(made, 0, TYPE)
    client.on[made, 1] = lambda body: write(client.descriptors.pop(), length)
    client.on[made, 2] = lambda body: print("CANCELLED", flush=True)
    return made


def write(pipe, length):
    done = 0
    try:
        while done < length:
            done += os.write(pipe, b"x" * min(65536, length - done))
        os.close(pipe)
        print("WRITTEN", flush=True)
    except BrokenPipeError:
        print("REFUSED", flush=True)


def ask(writing):
    client.send(offers[-1], 1, TYPE, descriptor=writing)
    os.close(writing)


def answer(reading):
    print("READ", len(os.read(reading, 1 << 20)), flush=True)


def offered(body):
    """The host has something: a client that has the keyboard may have it."""
    offer, = struct.unpack("=I", body)
    offers.append(offer)
    if not offer:
        return
    reading, writing = os.pipe()
    if mode == "blocking":
        # Full, and made to block after the host has it.
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
        os.write(writing, bytes(4096))
        keep.extend([reading, os.dup(writing)])
        ask(writing)
        client.settle()
        os.set_blocking(keep[1], True)
        print("ASKED", flush=True)
    elif mode == "socket":
        ours, theirs = socket.socketpair()
        ask(theirs.detach())
        answer(os.dup(ours.fileno()))
    elif mode == "gone":
        os.close(reading)
        ask(writing)
        print("ASKED", flush=True)


def left(body):
    if mode == "unfocused":
        reading, writing = os.pipe()
        ask(writing)
        answer(reading)


def pressed(body):
    serial, _, number, isDown = struct.unpack("=IIII", body)
    if not isDown:
        return
    if mode == "huge":
        client.send(device, 1, source(4 << 20), serial)
        client.settle()
        print("OFFERED", flush=True)
    elif mode == "old":
        client.send(device, 1, source(), serial - 1)
    elif mode == "drag":
        client.send(device, 0, source(), window.surface, None, serial)


keep = []
client.on[device, 5] = offered
client.on[keyboard, 2] = left
client.on[keyboard, 3] = client.on[pointer, 3] = pressed
if mode == "thief":
    client.send(device, 1, source(), 1)
window.run()

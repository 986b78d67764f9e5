#!/usr/bin/python3
"""An extension without any SDK: io.extensiond.Extension on the inherited socket, descriptor 3."""
import json
import os
import socket
import sys
import threading

if os.environ.pop("LISTEN_PID", "") != str(os.getpid()):
    print("this program is an extension and is started by extensiond; see 'extctl help install'", file=sys.stderr)
    sys.exit(64)
control = socket.socket(fileno=3)
descriptors = []


def answer(parameters, error=None):
    reply = {"parameters": parameters}
    if error:
        reply["error"] = "io.extensiond.Extension." + error
    control.sendall(json.dumps(reply).encode() + b"\0")


def greet(descriptor, scene):
    # One file for both ways would forget what it has read when it writes.
    with socket.socket(fileno=descriptor) as connection, connection.makefile() as lines:
        for name in lines:
            place = f" in {scene}" if scene else ""
            connection.sendall(f"Greetings from Python, {name.strip()}{place}!\n".encode())


def take(call):
    method = call["method"].rpartition(".")[2]
    parameters = call.get("parameters") or {}
    answers = {"answers": parameters.get("call")}
    if method == "Start":
        answer(answers)
    elif method == "AcceptConnection":
        scene = parameters.get("scene")
        descriptor = descriptors.pop(0)  # They come in the order of their calls.
        if scene not in (None, "GreetingScene"):
            os.close(descriptor)
            answer({**answers, "scene": scene}, "SceneNotFound")
            return
        threading.Thread(target=greet, args=(descriptor, scene), daemon=True).start()
        answer(answers)
    elif method == "Stop":
        answer(answers)
        os._exit(0)


buffer = b""
while True:
    data, received, _, _ = socket.recv_fds(control, 65536, 4)
    if not data:
        break
    descriptors += received
    buffer += data
    while b"\0" in buffer:
        message, _, buffer = buffer.partition(b"\0")
        take(json.loads(message))

"""Answers no ping until a key is pressed. Where it is asked it wants attention instead, twice."""
import struct
from wire import Window

window = Window()
client = window.client
asked = []
keyboard = client.make(window.seat, 1)
activation = client.bind("xdg_activation_v1")
token = client.make(activation, 1)


def wish(body):
    text = body[4:].rstrip(b"\0").decode()
    for _ in range(2):
        client.send(activation, 2, text, window.surface)


def key(body):
    for question in asked:
        client.send(window.shell, 3, *struct.unpack("=I", question))
    asked.clear()


def question(body):
    asked.append(body)
    print("ASKED", flush=True)
    client.send(token, 3)


client.on[window.shell, 0] = question
client.on[token, 0] = wish
client.on[keyboard, 3] = key
window.run()

"""Prints what it is told of scales, and of the output on which its surface is."""
import struct
from wire import Window


def printing(word):
    return lambda body: print(word, *struct.unpack("=I", body), flush=True)


window = Window()
client = window.client
client.on[window.surface, 0] = lambda body: print("ENTER", flush=True)
client.on[window.surface, 1] = lambda body: print("LEAVE", flush=True)
output = client.bind("wl_output", 4)
client.on[output, 3] = printing("OUTPUT")
fraction = client.make(client.bind("wp_fractional_scale_manager_v1"), 1, window.surface)
client.on[fraction, 0] = printing("FRACTION")
keyboard = client.make(window.seat, 1)
# A key hides the window.
client.on[keyboard, 3] = lambda body: window.show(False)
window.run()

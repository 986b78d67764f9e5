#!/usr/bin/python3
"""A window that shows an extension: host.py HOST EXTENSION [SCENE]. With libextensionkit-gtk4, without any other SDK."""
import gi, json, os, socket, sys
gi.require_version("Gtk", "4.0")
gi.require_version("Extk", "0")
from gi.repository import Extk, GLib, Gtk

broker = socket.socket(socket.AF_UNIX)
broker.connect(os.environ["XDG_RUNTIME_DIR"] + "/extensiond/broker/io.extensiond.Broker")

def call(method, **parameters):
    broker.sendall(json.dumps({"method": "io.extensiond.Broker." + method, "parameters": parameters}).encode() + b"\0")
    data, descriptors = b"", []
    while not data.endswith(b"\0"):
        more, new, _, _ = socket.recv_fds(broker, 65536, 8)
        data, descriptors = data + (more or sys.exit("the broker has gone")), descriptors + new
    reply = json.loads(data[:-1])
    return (reply["parameters"], descriptors) if "error" not in reply else sys.exit(reply)

def show(_=None):
    global kept  # The extension runs as long as the descriptors are open.
    reply, kept = call("Activate", extension=sys.argv[2], connect=True, display=True, **dict(zip(["scene"], sys.argv[3:])))
    display = kept[reply["displayFileDescriptor"]] if "displayFileDescriptor" in reply else -1
    view.show_scene(display, reply["instance"], None if reply.get("unmodified") else reply["activation"])

def gone(_, error):
    print("will deactivate:", error.message if error else "as the host wants it", flush=True)

call("Hello", hostIdentifier=sys.argv[1])
again = Gtk.Button(label="Show again", halign=Gtk.Align.CENTER, valign=Gtk.Align.CENTER)
view = Extk.SceneView(placeholder=again, hexpand=True, vexpand=True)
window = Gtk.Window(title="Host", child=view, default_width=400, default_height=300, decorated=False)
again.connect("clicked", show)
view.connect("did-activate", lambda _: print("did activate", flush=True))
view.connect("will-deactivate", gone)
window.connect("destroy", lambda _: loop.quit())
window.present()
show()
loop = GLib.MainLoop()
loop.run()

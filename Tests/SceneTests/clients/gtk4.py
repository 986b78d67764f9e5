"""A button, an entry and a list in GTK 4; it prints what happens to them."""
import gi
gi.require_version("Gtk", "4.0")
from gi.repository import Gio, Gtk


def activate(application):
    window = Gtk.ApplicationWindow(application=application, title="GTK 4")
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=12)
    button, entry = Gtk.Button(label="Click"), Gtk.Entry()
    clicks = [0]

    def clicked(_):
        clicks[0] += 1
        print("CLICKED", clicks[0], flush=True)

    button.connect("clicked", clicked)
    entry.connect("changed", lambda entry: print("TEXT", entry.get_text(), flush=True))
    entry.connect("notify::scale-factor", lambda *_: print("SCALE", entry.get_scale_factor(), flush=True))
    for widget in entry, button:
        box.append(widget)
    window.set_child(box)
    window.present()
    entry.grab_focus()
    print("SCALE", entry.get_scale_factor(), flush=True)


program = Gtk.Application(flags=Gio.ApplicationFlags.NON_UNIQUE)
program.connect("activate", activate)
program.run([])

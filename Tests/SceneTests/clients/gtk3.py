"""A button and an entry in GTK 3; it prints what happens to them."""
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk

window = Gtk.Window(title="GTK 3")
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=12)
button, entry = Gtk.Button(label="Click"), Gtk.Entry()
clicks = 0


def clicked(_):
    global clicks
    clicks += 1
    print("CLICKED", clicks, flush=True)


button.connect("clicked", clicked)
entry.connect("changed", lambda entry: print("TEXT", entry.get_text(), flush=True))
entry.connect("notify::scale-factor", lambda *_: print("SCALE", entry.get_scale_factor(), flush=True))
window.connect("destroy", Gtk.main_quit)
for widget in entry, button:
    box.pack_start(widget, False, False, 0)
window.add(box)
window.show_all()
entry.grab_focus()
print("SCALE", entry.get_scale_factor(), flush=True)
Gtk.main()

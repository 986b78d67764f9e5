"""gtk.py 3.0|4.0: the widgets of test_toolkits.py in GTK, at the places that all its clients have."""
import sys

import gi

gi.require_version("Gtk", sys.argv[1])
gi.require_version("Gdk", sys.argv[1])
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

NEW = sys.argv[1] == "4.0"
CSS = b"#colour { background: #20a040; }"


def say(*words):
    print(*words, flush=True)


def place(widget, x, y, width, height):
    widget.set_size_request(width, height)
    fixed.put(widget, x, y)
    return widget


def show(widget):
    widget.present() if NEW else widget.show_all()


def open_dialog(_):
    dialog = Gtk.Window(title="Dialog", transient_for=window, modal=True)
    dialog.set_default_size(120, 80)
    dialog.connect("close-request" if NEW else "delete-event", lambda *_: say("dialog closed"))
    show(dialog)
    say("dialog opened")


def hide(_):
    window.set_visible(False)
    say("window hidden")
    GLib.timeout_add(200, lambda: show(window))


def closed(*_):
    say("window closed")
    loop.quit()


loop = GLib.MainLoop()
if NEW:
    Gtk.init()
provider = Gtk.CssProvider()
provider.load_from_data(CSS)
if NEW:
    Gtk.StyleContext.add_provider_for_display(Gdk.Display.get_default(), provider, 600)
else:
    Gtk.StyleContext.add_provider_for_screen(Gdk.Screen.get_default(), provider, 600)
window = Gtk.Window(title="GTK")
window.set_default_size(300, 200)
window.connect("close-request" if NEW else "delete-event", closed)
fixed = Gtk.Fixed()
window.set_child(fixed) if NEW else window.add(fixed)
colour = place(Gtk.Box() if NEW else Gtk.EventBox(), 250, 20, 100, 100)
colour.set_name("colour")
place(Gtk.Button(label="Button"), 20, 20, 160, 40).connect("clicked", lambda _: say("button clicked"))
place(Gtk.Entry(), 20, 80, 160, 40).connect("changed", lambda entry: say("text", entry.get_text()))
NAMES = ["first", "second", "third"]
if NEW:
    choice = Gtk.DropDown.new_from_strings(NAMES)
    choice.connect("notify::selected", lambda *_: say("chosen", NAMES[choice.get_selected()]))
else:
    choice = Gtk.ComboBoxText()
    for name in NAMES:
        choice.append_text(name)
    choice.set_active(0)
    choice.connect("changed", lambda _: say("chosen", choice.get_active_text()))
place(choice, 20, 140, 160, 40)
place(Gtk.Button(label="Dialog"), 20, 200, 160, 40).connect("clicked", open_dialog)
place(Gtk.Button(label="Hide"), 200, 200, 100, 40).connect("clicked", hide)
show(window)
loop.run()

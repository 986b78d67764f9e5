"""What an extension draws is shown by its host, over a Wayland connection. The test is the host, and no compositor."""

import os
import plistlib
import select
import struct

from probe import SCENES, ProbeWorld
from world import DEADLINE, VarlinkError, World, until

CLIENT = "/usr/bin/weston-simple-shm"
SHOWN = {"point": {"UserInterface": True}}
# Gives the display to a toolkit, here in a process of its own; says no to one scene.
BODY = """
import subprocess
whole = accept
def accept(p):
    number = p.get("displayFileDescriptor")
    if number is not None:
        display = fds.pop(number)
        subprocess.Popen([%r], env={**os.environ, "WAYLAND_SOCKET": str(display)}, pass_fds=[display])
        os.close(display)
    if p.get("scene") != "No": return whole(p)
    os.close(fds.pop(0))
    answer({"answers": p["call"], "message": "not this one"}, "ConnectionRejected")
""" % CLIENT
# Tells what it was started with, then is the client.
PROGRAM = f"""#!/bin/sh
env > environment
ls -l /proc/$$/fd > descriptors
exec {CLIENT}
"""


class DisplayWorld(World):
    environment = {"EXTENSIOND_SETTLE_MS": "0", "DISPLAY": ":7", "WAYLAND_DISPLAY": "wayland-7"}

    def ready_program(self, program=PROGRAM, **info):
        return self.ready(host=SHOWN, program=program, info={"Extensiond": {"Runtime": "wayland"}, **info})

    def show(self, host, **parameters):
        """Activates with a connection that is shown; returns the reply and the display, if it came."""
        reply = host.call("Activate", extension="org.example.Ext", connect=True, display=True, **parameters)
        lease, connection = self.kept(host), self.kept(host)
        return reply, lease, connection, self.display(host, reply)

    def connect_shown(self, host, activation):
        reply = host.call("Connect", activation=activation, display=True)
        return reply, self.kept(host), self.display(host, reply)

    def kept(self, host):
        """The next descriptor, open until the test ends."""
        taken = host.take()
        self.addCleanup(taken.close)
        taken.settimeout(DEADLINE)
        return taken

    def display(self, host, reply):
        if "displayFileDescriptor" not in reply:
            self.assertEqual(host.descriptors, [])
            return None
        return self.kept(host)

    def is_asked_by_a_client(self, display):
        """The first request of each Wayland client: wl_display (1) get_registry (1), 12 bytes."""
        data = b""
        while len(data) < 12:
            more = display.recv(12 - len(data))
            self.assertTrue(more, "the client is gone")
            data += more
        self.assertEqual(struct.unpack("=III", data)[:2], (1, 12 << 16 | 1))

    def is_cut(self, display):
        try:
            while display.recv(4096):
                pass
        except ConnectionResetError:
            pass

    def lives(self, display):
        """Nothing comes any more, and no end."""
        while select.select([display], [], [], 0)[0]:
            self.assertTrue(display.recv(4096), "the client is gone")

    def refused(self, error, call, *arguments, **parameters):
        with self.assertRaises(VarlinkError) as caught:
            call(*arguments, **parameters)
        self.assertEqual(caught.exception.name, error, caught.exception)
        return caught.exception.parameters

    def file(self, name):
        return self.home / ".local/share/extensiond-containers/org.example.Ext" / name


class Display(DisplayWorld):
    def test_an_instance_has_one_for_all_its_scenes(self):
        self.ready(host=SHOWN, body=BODY)
        host = self.host()
        one, lease, _, display = self.show(host, scene="One")
        self.is_asked_by_a_client(display)
        two, other_lease, _, none = self.show(host, scene="Two")
        self.assertIsNone(none)
        self.assertEqual(two["instance"], one["instance"])
        again, _, none = self.connect_shown(host, one["activation"])
        self.assertEqual((again["instance"], none), (one["instance"], None))
        self.assertEqual([row["id"] for row in self.ask("ListInstances")["instances"]], [one["instance"]])
        lease.close()
        until(lambda: len(self.ask("ListActivations")["activations"]) == 1, "the end of one scene")
        self.lives(display)
        other_lease.close()
        self.is_cut(display)

    def test_who_comes_without_a_display_gets_it_when_it_is_wanted(self):
        self.ready(host=SHOWN, body=BODY)
        host = self.host()
        activation, _, connection = self.activate(host, connect=True)
        self.echo(connection)
        self.assertEqual(host.descriptors, [])
        _, connection, display = self.connect_shown(host, activation)
        self.is_asked_by_a_client(display)
        self.echo(connection)

    def test_a_refused_connection_leaves_it_to_the_next_one(self):
        self.ready(host=SHOWN, body=BODY)
        host = self.host()
        activation, _, connection = self.activate(host, connect=True)
        self.refused("ConnectionRejected", self.show, host, scene="No")
        _, _, display = self.connect_shown(host, activation)
        self.is_asked_by_a_client(display)
        self.echo(connection)

    def test_it_outlives_the_broker_and_is_not_given_twice(self):
        self.ready(host=SHOWN, body=BODY)
        first, lease, _, display = self.show(self.host(), scene="One")
        self.is_asked_by_a_client(display)
        for _ in range(2):
            self.kill_broker()
            self.start_broker()
            host = self.host()
            reply, _, none = self.connect_shown(host, first["activation"])
            self.assertEqual((reply["instance"], none), (first["instance"], None))
            self.lives(display)
        lease.close()
        self.is_cut(display)

    def test_a_broker_that_ends_before_anybody_is_shown_leaves_it_possible(self):
        self.ready(host=SHOWN, body=BODY)
        activation, _, _ = self.activate(self.host(), connect=True)
        self.kill_broker()
        self.start_broker()
        _, _, display = self.connect_shown(self.host(), activation)
        self.is_asked_by_a_client(display)

    def test_what_has_no_interface_is_refused(self):
        self.ready()
        host = self.host()
        said = self.refused("DisplayUnavailable", self.show, host)
        self.assertIn("UserInterface", said["message"])
        activation, _, _ = self.activate(host)
        said = self.refused("DisplayUnavailable", self.connect_shown, host, activation)
        self.assertIn("UserInterface", said["message"])
        self.refused(
            "InvalidParameter", host.call, "Activate", extension="org.example.Ext", display=True)

    def test_a_program_of_lines_is_refused(self):
        self.ready(host=SHOWN, info={"Extensiond": {"Runtime": "stdio"}}, program="#!/bin/sh\nexec cat\n")
        said = self.refused("DisplayUnavailable", self.show, self.host())
        self.assertIn("Runtime wayland", said["message"])

    def descriptors(self):
        return [len(os.listdir(f"/proc/{process}/fd")) for process in (self.broker.pid, self.launcher())]

    def test_nothing_is_left_of_fifty(self):
        self.ready(host=SHOWN, body=BODY)
        most = None
        for round in range(51):
            host = self.host()
            if round % 2:
                # The host's end of this one is never handed over.
                self.refused("ConnectionRejected", self.show, host, scene="No")
                until(lambda: not self.ask("ListInstances")["instances"], "no instance")
            _, lease, connection, display = self.show(host, scene="One")
            self.is_asked_by_a_client(display)
            for socket in (lease, connection, display):
                socket.close()
            host.close()
            self.clients.remove(host)
            until(lambda: not self.ask("ListInstances")["instances"], "no instance")
            # What is closed just now may still be there.
            if round == 2:
                most = self.descriptors()
        until(lambda: all(now <= before for now, before in zip(self.descriptors(), most)), f"at most {most}")


class Unmodified(DisplayWorld):
    """Runtime is wayland: nothing in the program knows of extensions."""

    def test_it_is_a_client_in_the_sandbox(self):
        self.ready_program()
        reply, lease, _, display = self.show(self.host(), scene="Clock")
        self.is_asked_by_a_client(display)
        variables = dict(
            line.split("=", 1) for line in self.file("environment").read_text().splitlines() if "=" in line)
        self.assertEqual(
            {name: variables.get(name) for name in (
                "WAYLAND_SOCKET", "WAYLAND_DISPLAY", "DISPLAY", "XDG_RUNTIME_DIR", "GDK_BACKEND", "QT_QPA_PLATFORM",
                "SDL_VIDEODRIVER", "GSK_RENDERER", "XDG_CURRENT_DESKTOP", "LISTEN_FDS", "EXTENSION_SCENE")},
            {"WAYLAND_SOCKET": "3", "WAYLAND_DISPLAY": None, "DISPLAY": None, "XDG_RUNTIME_DIR": "/run",
             "GDK_BACKEND": "wayland", "QT_QPA_PLATFORM": "wayland", "SDL_VIDEODRIVER": "wayland",
             "GSK_RENDERER": "cairo", "XDG_CURRENT_DESKTOP": None, "LISTEN_FDS": None, "EXTENSION_SCENE": "Clock"})
        self.assertEqual(variables["EXTENSION_ACTIVATION"], reply["activation"])
        # Of sockets the display alone.
        self.assertEqual(self.file("descriptors").read_text().count("socket:"), 1)
        lease.close()
        self.is_cut(display)
        until(lambda: not self.ask("ListInstances")["instances"], "no instance")

    def test_each_scene_is_a_process_of_its_own(self):
        self.ready_program()
        host = self.host()
        one, _, _, first = self.show(host, scene="Same")
        two, _, _, second = self.show(host, scene="Same")
        self.assertNotEqual(one["instance"], two["instance"])
        self.is_asked_by_a_client(first)
        self.is_asked_by_a_client(second)
        # It runs once, and is only shown.
        said = self.refused("ConnectionRejected", self.connect_shown, host, one["activation"])
        self.assertIn("shown already", said["message"])

    def test_it_is_shown_or_not_used(self):
        self.ready_program()
        host = self.host()
        said = self.refused(
            "ConnectionRejected", host.call, "Activate", extension="org.example.Ext", connect=True)
        self.assertIn("display", said["message"])

    def test_a_point_without_an_interface_has_no_place_for_it(self):
        self.ready(program=PROGRAM, info={"Extensiond": {"Runtime": "wayland"}})
        said = self.refused("DisplayUnavailable", self.host().call, "Activate", extension="org.example.Ext")
        self.assertIn("UserInterface", said["message"])

    def end_of(self, program):
        self.ready_program(program)
        stream = self.subscribe()
        reply, lease, _, display = self.show(self.host())
        self.is_asked_by_a_client(display)
        display.close()
        event = self.events(stream, reply["activation"], ["activated", "deactivated"])
        self.assertEqual(lease.recv(1), b"")
        return event["reason"]

    def test_its_end_is_the_scenes(self):
        reason = self.end_of(f"#!/bin/sh\n{CLIENT}\nexit 7\n")
        self.assertEqual((reason["kind"], reason.get("status")), ("exited", 7))

    def test_its_crash_is_the_scenes(self):
        reason = self.end_of(f"#!/bin/sh\n{CLIENT}\nkill -SEGV $$\n")
        self.assertEqual((reason["kind"], reason.get("signal")), ("crashed", 11))

    def test_one_that_does_not_want_to_end_is_ended(self):
        self.ready_program(f"#!/bin/sh\ntrap '' TERM\n{CLIENT}\necho left\nexec sleep 1000\n")
        stream = self.subscribe()
        reply, _, _, display = self.show(self.host())
        self.is_asked_by_a_client(display)
        self.ask("Disable", extension="org.example.Ext")
        event = self.events(stream, reply["activation"], ["activated", "willDeactivate", "deactivated"])
        self.assertEqual(event["reason"]["kind"], "disabled")
        until(lambda: not self.ask("ListInstances")["instances"], "no instance")

    def test_what_cannot_be_run_is_said(self):
        self.ready_program("#!/nowhere/interpreter\n")
        said = self.refused("ConnectionRejected", self.show, self.host())
        self.assertIn("cannot run /extension/main.py", said["message"])

    def test_without_a_sandbox_it_opens_no_window_elsewhere(self):
        self.put(self.make_host(**SHOWN))
        bundle = self.make_bundle(
            program=f"#!/bin/sh\nenv > {self.place}/environment\nexec {CLIENT}\n",
            info={"Extensiond": {"Runtime": "wayland"}})
        (bundle / "Entitlements.plist").write_bytes(plistlib.dumps({"none": True}))
        self.put(bundle)
        self.start_broker()
        self.approve("org.example.Ext")
        _, _, _, display = self.show(self.host())
        self.is_asked_by_a_client(display)
        variables = (self.place / "environment").read_text()
        self.assertIn("WAYLAND_SOCKET=3\n", variables)
        self.assertNotIn("DISPLAY=", variables)


class SDK(DisplayWorld, ProbeWorld):
    def setUp(self):
        super().setUp()
        self.ready(host=SHOWN, body=BODY, scenes=SCENES, info={"CFBundleName": "Ext"})

    def test_a_host_has_one_object_for_all_scenes_of_a_process(self):
        probe = self.probe()
        probe.do("monitor first")
        for name in ("one", "two"):
            probe.do(f"scene {name} Ext/{name.title()}")
            self.assertEqual(probe.event(), f"active {name} {name.title()}")
        # At the same time: one of them has it, and both find it.
        tags = [probe.send(f"show {name} {name}") for name in ("one", "two")]
        self.assertEqual([probe.result(tag) for tag in tags], ["shown", "shown"])
        self.assertEqual(probe.do("displays"), "1 0100000001000c00")
        probe.do("scene one none")
        self.assertEqual(probe.event(), "ended one One as wanted")
        self.assertEqual(probe.do("show two again"), "shown")
        self.assertEqual(probe.do("displays"), "1")
        # Who lets go of it has shown it for the last time.
        probe.do("forget-displays")
        self.assertIn("displayUnavailable: ", probe.do("show two again"))

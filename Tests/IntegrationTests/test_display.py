"""What an extension draws is shown by its host, over a Wayland connection. The test is the host, and no compositor."""

import os
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


class DisplayWorld(World):
    environment = {"EXTENSIOND_SETTLE_MS": "0", "DISPLAY": ":7", "WAYLAND_DISPLAY": "wayland-7"}

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
        counts = []
        for round in range(51):
            host = self.host()
            _, lease, connection, display = self.show(host, scene="One")
            self.is_asked_by_a_client(display)
            if round % 2:
                # One that is refused, and one that nobody waits for any more.
                self.refused("ConnectionRejected", self.show, host, scene="No")
            for socket in (lease, connection, display):
                socket.close()
            host.close()
            self.clients.remove(host)
            until(lambda: not self.ask("ListInstances")["instances"], "no instance")
            counts.append(self.descriptors())
        self.assertEqual(counts[1], counts[-1])


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

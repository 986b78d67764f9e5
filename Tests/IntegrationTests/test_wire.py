"""The wire: what a good client may do, and what a bad one gets."""

import contextlib
import os
import pathlib
import socket

from world import VarlinkError, World, until


class Wire(World):
    def setUp(self):
        super().setUp()
        self.start_broker()

    def closes(self, data, said=None):
        client = self.admin()
        try:
            client.raw(data)
        except (BrokenPipeError, ConnectionResetError):
            pass
        with self.assertRaises((EOFError, ConnectionError)):
            client.receive()
        if said:
            until(lambda: said in self.log_text(), f"'{said}' in the log")
        self.listed()

    def test_what_cannot_be_answered_closes_the_connection(self):
        self.closes(b"nonsense\0", "closed a connection of process")
        self.closes(b"[]\0")
        self.closes(b'{"parameters":{}}\0')
        self.closes(b'{"method":"io.extensiond.Admin.List","more":1}\0')
        self.closes(b'{"method":"io.extensiond.Admin.List","more":true,"oneway":true}\0')
        self.closes(b'{"method":"io.extensiond.Admin.List","surplus":true}\0')
        self.closes(b'{"method":"\xff"}\0')
        self.closes(b'{"method":"a.b","parameters":' + b'{"a":' * 40 + b"1" + b"}" * 40 + b"}\0")

    def test_a_message_without_end_closes_the_connection(self):
        client = self.admin()
        try:
            for _ in range(40):
                client.raw(b" " * 65536)
        except (BrokenPipeError, ConnectionResetError):
            pass
        with self.assertRaises((EOFError, ConnectionError)):
            client.receive()
        until(lambda: "longer than the limit" in self.log_text(), "the cause in the log")

    def test_errors_name_what_is_wrong(self):
        admin = self.admin()
        for method, parameters, error, detail in (
            ("List", {"bogus": 1}, "InvalidParameter", {"parameter": "bogus"}),
            ("List", {"extension": 7}, "InvalidParameter", {"parameter": "extension"}),
            ("Approve", {"extension": "a"}, "InvalidParameter", {"parameter": "digest"}),
            ("Nothing", {}, "MethodNotFound", {"method": "io.extensiond.Admin.Nothing"}),
            ("io.extensiond.Broker.Hello", {}, "InterfaceNotFound", {"interface": "io.extensiond.Broker"}),
            ("Watch", {}, "ExpectedMore", {}),
        ):
            with self.assertRaises(VarlinkError) as caught:
                admin.call(method, **parameters)
            self.assertEqual((caught.exception.name, caught.exception.parameters), (error, detail))

    def test_messages_of_every_length_up_to_the_limit(self):
        client = self.admin()
        limit = 1 << 20
        for length in (100, 16383, 16384, 16385, 20000, 32768, 65536, 200000, limit - 1, limit):
            head, tail = b'{"method":"io.extensiond.Admin.ListHosts","com.example":{"x":"', b'"}}'
            message = head + b"x" * (length - len(head) - len(tail)) + tail + b"\0"
            client.raw(message)
            self.assertEqual(client.receive(), {"hosts": []}, length)
            # And with others around it, so that reads end anywhere.
            client.raw(b'{"method":"io.extensiond.Admin.ListInstances"}\0' + message)
            self.assertEqual((client.receive(), client.receive()), ({"instances": []}, {"hosts": []}), length)
        self.closes(head + b"x" * limit + tail + b"\0", "longer than the limit")

    def test_split_and_merged_messages(self):
        client = self.admin()
        message = b'{"method":"io.extensiond.Admin.ListHosts"}\0'
        for byte in message:
            client.raw(bytes([byte]))
        self.assertEqual(client.receive(), {"hosts": []})
        client.raw(message * 50)
        for _ in range(50):
            self.assertEqual(client.receive(), {"hosts": []})

    def test_oneway_is_not_answered_and_order_is_kept(self):
        client = self.admin()
        client.send("ListHosts", oneway=True)
        client.send("Nothing", oneway=True)
        client.send("ListInstances")
        self.assertEqual(client.receive(), {"instances": []})

    def test_absent_null_and_empty_parameters_are_the_same(self):
        client = self.admin()
        for text in ("", ',"parameters":null', ',"parameters":{}', ',"com.example":{"x":1}'):
            client.raw(('{"method":"io.extensiond.Admin.ListHosts"%s}\0' % text).encode())
            self.assertEqual(client.receive(), {"hosts": []})

    def test_descriptors_are_not_taken(self):
        client = self.admin()
        message = b'{"method":"io.extensiond.Admin.ListHosts"}\0'
        # Nobody else has this one; the broker opens others whenever it likes.
        path = self.place / "marked"
        path.touch()
        with open(path) as file:
            socket.send_fds(client.socket, [message], [file.fileno()] * 3)
        try:
            client.receive()
        except (EOFError, ConnectionError):
            pass
        client.close()
        self.clients.clear()
        self.listed()
        until(lambda: str(path) not in self.open_files(), "the descriptors being closed")

    def open_files(self):
        found = set()
        for descriptor in pathlib.Path(f"/proc/{self.broker.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # Closed meanwhile.
                found.add(os.readlink(descriptor))
        return found

    def test_hello_comes_first_and_once(self):
        client = self.connect("broker/io.extensiond.Broker")
        for method in ("Discover", "Subscribe"):
            with self.assertRaises(VarlinkError) as caught:
                client.call(method, extensionPoints=[])
            self.assertEqual(caught.exception.name, "HelloRequired")
        with self.assertRaises(VarlinkError) as caught:
            client.call("Hello", hostIdentifier="no good name")
        self.assertEqual(caught.exception.name, "InvalidHost")
        self.assertEqual(client.call("Hello", hostIdentifier="org.example.Host")["verified"], False)
        with self.assertRaises(VarlinkError):
            client.call("Hello", hostIdentifier="org.example.Other")

    def test_a_reader_that_sleeps_costs_nobody_and_gets_one_state(self):
        self.put(self.make_host())
        stream = self.subscribe()
        self.put(self.make_bundle())
        # More than fits into its socket, in changes that fit.
        words = {key: "1" * 500 for key in ("Description", "Developer", "License")}
        for number in range(200):
            self.put(self.make_bundle(f"org.example.N{number}", info={"Extensiond": words}))
        self.ask("Rescan", wait=True)
        for item in self.listed():
            if item["state"] == "unapproved" and "extensionPoint" in item:
                self.ask("Approve", extension=item["path"], digest=item["digest"], entitlements=[])
        identities, sequence, snapshots = {}, 0, -1
        while len(identities) < 201:
            reply = stream.receive()
            self.assertGreater(reply["sequence"], sequence)
            sequence = reply["sequence"]
            if "snapshot" in reply:
                snapshots += 1
                identities = {i["id"]: i for i in reply["snapshot"]["identities"]}
            for identity in reply.get("change", {}).get("added", []):
                identities[identity["id"]] = identity
        self.assertGreater(snapshots, 0, "what was missed comes as one state")

    def test_many_connections_of_one_process_are_bounded(self):
        clients = [self.admin() for _ in range(80)]
        alive = 0
        for client in clients:
            try:
                client.call("ListHosts")
                alive += 1
            except (EOFError, ConnectionError):
                pass
        self.assertEqual(alive, 64)
        for client in clients:
            client.close()
        self.clients.clear()
        until(lambda: self.listed() == [], "an answer again")

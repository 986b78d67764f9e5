"""Conversations over a connection between the SDK and peers in Python."""

import unittest

import test_sdk
from probe import ProbeWorld
from world import Client, VarlinkError

try:
    import varlink
except ImportError:
    varlink = None

INTERFACE = "com.example.greeting.Host"
# Serves the interface over each connection, with the standard library alone.
SERVING = '''
def echo(fd):
    with socket.socket(fileno=fd) as s:
        buffer = b""
        while data := s.recv(4096):
            buffer += data
            while b"\\0" in buffer:
                message, _, buffer = buffer.partition(b"\\0")
                # Slow: not before it hears something else.
                while b'"slow"' in message and b"\\0" not in buffer: buffer += s.recv(4096)
                s.sendall(json.dumps(serve(json.loads(message))).encode() + b"\\0")
seen = []
def serve(call):
    seen.append(call["method"].rpartition(".")[2])
    if call["method"] != "com.example.greeting.Host.Greet":
        return {"error": "org.varlink.service.MethodNotFound", "parameters": {"method": call["method"]}}
    name = call["parameters"]["name"]
    if name == "nobody": return {"error": "com.example.greeting.Host.NobodyThere", "parameters": {"name": name}}
    if name == "number": return {"parameters": {"greeting": 7}}
    if name == "stranger": return {"error": "org.example.Odd", "parameters": {"much": True}}
    if name == "wrong": return {"error": "org.varlink.service.InvalidParameter", "parameters": {"parameter": "name"}}
    if name == "seen": return {"parameters": {"greeting": " ".join(seen)}}
    if name == "end": os._exit(3)
    return {"parameters": {"greeting": "Greetings, " + name + ", from Python"}}
'''


class PythonHosts(test_sdk.Samples):
    """Hosts in Python, and the sample extension in Swift."""

    def connection(self, scene=None):
        host = self.host("com.example.hostapp")
        _, _, connection = self.activate(
            host, "com.example.extension", connect=True, **({"scene": scene} if scene else {}))
        return connection

    def test_the_standard_library_calls_and_gets_typed_errors(self):
        client = Client.over(self.connection("GreetingScene"), INTERFACE)
        self.assertEqual(client.call("Greet", name="Ada"), {"greeting": "Hello, Ada, from GreetingScene"})
        info = client.call("org.varlink.service.GetInfo")
        self.assertIn(INTERFACE, info["interfaces"])
        for call, parameters, name, said in (
            ("Greet", {"name": "nobody"}, f"{INTERFACE}.NobodyThere", {"name": "nobody"}),
            ("Greet", {"name": 7}, "org.varlink.service.InvalidParameter", {"parameter": "name"}),
            ("Greet", {}, "org.varlink.service.InvalidParameter", {"parameter": "name"}),
            ("Part", {}, "org.varlink.service.MethodNotFound", {"method": f"{INTERFACE}.Part"}),
            ("org.example.Other.Do", {}, "org.varlink.service.InterfaceNotFound", {"interface": "org.example.Other"}),
        ):
            with self.assertRaises(VarlinkError) as caught:
                client.call(call, **parameters)
            self.assertEqual((str(caught.exception), caught.exception.parameters), (f"{name} {said}", said))
        self.assertEqual(client.call("Greet", name="Eve"), {"greeting": "Hello, Eve, from GreetingScene"})

    @unittest.skipIf(varlink is None, "the PyPI package varlink is not installed")
    def test_the_varlink_package_reads_the_interface_and_calls(self):
        connection = self.connection()
        client = varlink.Client()
        self.assertIn(INTERFACE, client.get_interfaces(socket_connection=connection))
        greeter = client.open(INTERFACE, connection=connection)
        self.assertEqual(greeter.Greet("Ada"), {"greeting": "Hello, Ada, from no scene"})
        with self.assertRaises(varlink.VarlinkError) as caught:
            greeter.Greet("nobody")
        self.assertEqual(caught.exception.error(), f"{INTERFACE}.NobodyThere")
        self.assertEqual(caught.exception.parameters(), {"name": "nobody"})
        self.assertEqual(greeter.Greet("Eve"), {"greeting": "Hello, Eve, from no scene"})


class PythonExtensions(ProbeWorld):
    """A host in Swift, and an extension in Python."""

    def test_its_answers_and_its_errors_come_typed(self):
        self.ready(identifier="org.example.One", body=SERVING, info={"CFBundleName": "One"})
        host = self.probe()
        for command in ("monitor first", "activate use One", "connect use line", "resume line"):
            self.assertFalse(host.do(command).startswith("error"), command)
        self.assertEqual(host.do("greet line Ada"), "Greetings, Ada, from Python")
        self.assertEqual(host.do("greet line nobody"), 'error NobodyThere(name: "nobody")')
        self.assertEqual(host.do("greet line wrong"), "error invalidParameter: the peer cannot take the parameter name")
        self.assertEqual(
            host.do("greet line stranger"), 'error remoteError: the peer answered org.example.Odd {"much":true}')
        self.assertIn("error malformedMessage: the answer to com.example.greeting.Host.Greet", host.do("greet line number"))
        self.assertEqual(host.do("greet line Eve"), "Greetings, Eve, from Python")
        self.assertEqual(
            host.do("greet line end"), "error connectionClosed: the other side has closed the connection")
        self.assertEqual(host.event(), "interrupted use exited")

    def test_one_that_knows_nothing_of_cancellation_is_not_harmed_by_it(self):
        self.ready(identifier="org.example.One", body=SERVING, info={"CFBundleName": "One"})
        host = self.probe()
        for command in ("monitor first", "activate use One", "connect use line", "resume line"):
            self.assertFalse(host.do(command).startswith("error"), command)
        self.assertIn("error timedOut", host.do("greet-soon line slow"))
        self.assertEqual(host.do("greet line Ada"), "Greetings, Ada, from Python")
        self.assertEqual(host.do("greet line seen"), "Greet Cancel Greet Greet")

"""Ordinary programs as extensions: Runtime is stdio, and nothing in them knows of extensions."""

import json
import pathlib
import shutil
import socket
import subprocess

from world import DEADLINE, VarlinkError, World, until

JSON_RPC = r'''#!/usr/bin/python3
import json, os, sys
while True:
    length = 0
    while (line := sys.stdin.buffer.readline().strip()):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length": length = int(value)
    if not length: break
    call = json.loads(sys.stdin.buffer.read(length))
    if call["method"] == "exit": sys.exit(7)
    result = {"place": os.environ.get("EXTENSION_SCENE"), "sum": sum(call["params"]), "pid": os.getpid()}
    body = json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()
'''


class Stdio(World):
    def ready_program(self, program=None, **options):
        options.setdefault("Runtime", "stdio")
        return self.ready(info={"Extensiond": options}, program=program)

    def ready_tool(self):
        self.put(self.make_host())
        bundle = self.make_bundle(info={
            "CFBundleExecutable": "tr", "Extensiond": {"Runtime": "stdio", "Arguments": ["a-z", "A-Z"]}})
        (bundle / "main.py").unlink()
        shutil.copy("/usr/bin/tr", bundle / "tr")
        path = self.put(bundle)
        self.start_broker()
        self.approve(self.listed(str(path))[0]["identifier"])

    def rpc(self, stream, method, *params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        stream.flush()
        length = int(stream.readline().split(b":")[1])
        stream.readline()
        return json.loads(stream.read(length))["result"]

    def test_a_stock_tool_is_an_extension_by_its_plist_alone(self):
        self.ready_tool()
        host = self.host()
        activation, _, connection = self.activate(host, connect=True)
        connection.sendall(b"hello, world\n")
        connection.shutdown(socket.SHUT_WR)
        self.assertEqual(b"".join(iter(lambda: connection.recv(100), b"")), b"HELLO, WORLD\n")
        # Each connection has a process of its own; the extension runs on when one has ended.
        host.call("Connect", activation=activation)
        with host.take() as second:
            second.settimeout(DEADLINE)
            second.sendall(b"again")
            second.shutdown(socket.SHUT_WR)
            self.assertEqual(second.recv(100), b"AGAIN")

    def test_a_host_in_one_file_of_c(self):
        program = self.place / "c-host"
        source = pathlib.Path(__file__).resolve().parents[2] / "Sources/Examples/c-host/c-host.c"
        subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-o", program, source], check=True)
        self.ready_tool()

        def say(*arguments):
            return subprocess.run([program, *arguments], env=self.env, capture_output=True, text=True, timeout=DEADLINE)

        said = say("org.example.Host", "org.example.Ext", "hello from c")
        self.assertEqual((said.stdout, said.stderr, said.returncode), ("HELLO FROM C\n", "", 0))
        said = say("org.example.Host", 'org.example."None"', "hello")
        self.assertIn("ExtensionNotFound", said.stderr)
        self.assertEqual((said.stdout, said.returncode), ("", 1))
        until(lambda: not self.ask("ListInstances")["instances"], "no instance")

    def test_a_json_rpc_program_answers_each_connection_for_itself(self):
        self.ready_program(program=JSON_RPC)
        host = self.host()
        activation, _, connection = self.activate(host, connect=True, scene="Sums")
        host.call("Connect", activation=activation)
        second = host.take()
        self.addCleanup(second.close)
        second.settimeout(DEADLINE)
        with connection.makefile("rwb") as one, second.makefile("rwb") as two:
            first = self.rpc(one, "add", 1, 2)
            self.assertEqual((first["sum"], first["place"]), (3, "Sums"))
            other = self.rpc(two, "add", 5)
            self.assertNotEqual(first["pid"], other["pid"])
            body = b'{"id":1,"method":"exit","params":[]}'
            one.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            one.flush()
            self.assertEqual(one.read(1), b"")
            self.assertEqual(self.rpc(two, "add", 1)["sum"], 1)
        until(lambda: "exited with status 7" in self.extctl("logs", "org.example.Ext").stdout, "the exit in the logs")

    def test_the_end_of_the_extension_ends_its_programs(self):
        self.ready_program(program="#!/bin/sh\ntrap '' TERM\ncat\nexec sleep 1000\n")
        _, _, connection = self.activate(self.host(), connect=True)
        self.echo(connection)
        self.ask("Disable", extension="org.example.Ext")
        self.assertEqual(connection.recv(1), b"")
        until(lambda: not self.ask("ListInstances")["instances"], "no instance")

    def test_what_cannot_be_run_is_said(self):
        self.ready_program(program="#!/nowhere/interpreter\n")
        with self.assertRaises(VarlinkError) as caught:
            self.activate(self.host(), connect=True)
        self.assertIn("cannot run /extension/main.py: No such file or directory", str(caught.exception))

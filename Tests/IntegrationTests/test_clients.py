"""Other people's Varlink: both Python clients, and the certification exchange with our client and our server."""

import asyncio
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import typing
import unittest

from world import BUILD, DEADLINE, World, until

try:
    import asyncvarlink
    import varlink
except ImportError:
    varlink = None


@unittest.skipIf(varlink is None, "the PyPI packages varlink and asyncvarlink are not installed")
class Clients(World):
    def test_varlink_introspects_and_calls(self):
        path = self.put(self.make_bundle())
        self.start_broker()
        address = f"unix:{self.run_directory}/extensiond/admin/io.extensiond.Admin"
        with varlink.Client.new_with_address(address) as client:
            self.assertIn("io.extensiond.Admin", client.get_interfaces())
            with client.open("io.extensiond.Admin") as admin:
                self.assertEqual([e["path"] for e in admin.List()["extensions"]], [str(path)])
                with self.assertRaises(varlink.VarlinkError) as caught:
                    admin.Disable("org.example.Nothing")
                self.assertEqual(caught.exception.error(), "io.extensiond.Admin.ExtensionNotFound")
                self.assertEqual(next(iter(admin.Watch(_more=True)))["event"], "watching")

    def test_every_interface_is_read_by_another_parser(self):
        self.start_broker()
        for path in ("admin/io.extensiond.Admin", "broker/io.extensiond.Broker"):
            client = self.connect(path)
            for name in client.call("org.varlink.service.GetInfo")["interfaces"]:
                text = client.call("org.varlink.service.GetInterfaceDescription", interface=name)["description"]
                self.assertEqual(varlink.Interface(text).name, name)

    def test_asyncvarlink_receives_descriptors(self):
        self.ready()
        path = self.run_directory / "extensiond/broker/io.extensiond.Broker"

        class HelloReply(typing.TypedDict):
            verified: bool
            generation: str

        class ActivateReply(typing.TypedDict):
            activation: str
            leaseFileDescriptor: asyncvarlink.FileDescriptor
            connectionFileDescriptor: asyncvarlink.FileDescriptor

        class Broker(asyncvarlink.VarlinkInterface, name="io.extensiond.Broker"):
            @asyncvarlink.varlinkmethod
            def Hello(self, *, hostIdentifier: str) -> HelloReply: ...

            @asyncvarlink.varlinkmethod
            def Activate(self, *, extension: str, connect: bool) -> ActivateReply: ...

        async def use():
            transport, protocol = await asyncvarlink.connect_unix_varlink(
                asyncvarlink.VarlinkClientProtocol, str(path))
            broker = protocol.make_proxy(Broker)
            await broker.Hello(hostIdentifier="org.example.Host")
            with await broker.Activate(extension="org.example.Ext", connect=True) as reply:
                connection = socket.socket(fileno=reply["connectionFileDescriptor"].take())
                lease = socket.socket(fileno=reply["leaseFileDescriptor"].take())
            transport.close()
            return connection, lease

        connection, lease = asyncio.run(use())
        self.addCleanup(lease.close)
        self.addCleanup(connection.close)
        self.echo(connection)

    def test_asyncvarlink_serves_as_an_extension(self):
        program = """#!/usr/bin/python3
import asyncio, os, socket, sys, typing
sys.path.insert(0, "/extension/lib")
from asyncvarlink import *
from asyncvarlink.serviceinterface import VarlinkServiceInterface
class Extension(VarlinkInterface, name="io.extensiond.Extension"):
    @varlinkmethod(return_parameter="answers", allow_foreign=True)
    def Start(self, *, call: str, extension: str, extensionPoint: str, context: dict) -> str:
        return call
    @varlinkmethod(return_parameter="answers", allow_foreign=True)
    def AcceptConnection(self, *, call: str, connectionFileDescriptor: FileDescriptor, activation: str,
                         context: dict, scene: str | None = None) -> str:
        with connectionFileDescriptor as fd:
            s = socket.socket(fileno=os.dup(fd.fileno()))
        s.send(b"hello from asyncvarlink"); s.close()
        return call
    @varlinkmethod(return_parameter="answers", allow_foreign=True)
    def Stop(self, *, call: str, context: dict) -> str:
        asyncio.get_running_loop().call_later(0.1, os._exit, 0)
        return call
async def main():
    fd = get_listen_fd("varlink"); s = socket.socket(fileno=os.dup(fd.fileno())); fd.close(); s.setblocking(False)
    r = VarlinkInterfaceRegistry()
    r.register_interface(VarlinkServiceInterface("v", "p", "1", "https://x", r)); r.register_interface(Extension())
    await VarlinkTransport(asyncio.get_running_loop(), s, s, r.protocol_factory()).closed_future
asyncio.run(main())
"""
        self.put(self.make_host())
        bundle = self.make_bundle(program=program)
        shutil.copytree(pathlib.Path(asyncvarlink.__file__).parent, bundle / "lib/asyncvarlink",
                        ignore=shutil.ignore_patterns("__pycache__"))
        self.put(bundle)
        self.start_broker()
        self.approve("org.example.Ext")
        _, _, connection = self.activate(self.host(), connect=True)
        self.assertEqual(connection.recv(100), b"hello from asyncvarlink")

    def test_our_client_passes_the_certification_of_their_server(self):
        address = self.place / "cert"
        script = "from varlink.tests import test_certification as t; import sys; t.run_server('unix:' + sys.argv[1])"
        server = subprocess.Popen([sys.executable, "-c", script, str(address)], stdout=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        until(lambda: self.can_connect(address), "the server's socket")
        ended = subprocess.run([BUILD / "certification", "client", address], capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual((ended.stdout, ended.stderr), ("Certification passed\n", ""))

    def test_their_client_passes_the_certification_of_our_server(self):
        address = self.place / "cert"
        server = subprocess.Popen([BUILD / "certification", "server", address])
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        until(lambda: self.can_connect(address), "the server's socket")
        from varlink.tests import test_certification

        with open(os.devnull, "w") as null:
            saved, sys.stdout = sys.stdout, null
            try:
                with varlink.Client.new_with_address(f"unix:{address}") as client:
                    test_certification.run_client(client)
            finally:
                sys.stdout = saved

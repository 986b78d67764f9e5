"""What a host of the SDK is told where there is no broker, another one, or one that comes later."""

import json
import socket
import threading

from probe import ProbeWorld


class FakeBroker:
    """A Varlink service in the broker's place; `answers` are its replies by method."""

    def __init__(self, path, answers):
        path.parent.mkdir(parents=True, mode=0o700)
        self.answers = answers
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        with connection, connection.makefile("rb") as stream:
            message = b""
            while byte := stream.read(1):
                if byte != b"\0":
                    message += byte
                    continue
                method = json.loads(message)["method"]
                message = b""
                answer = self.answers.get(method)
                if answer is None:
                    kind = "Interface" if method.rpartition(".")[0] not in self.interfaces() else "Method"
                    answer = {"error": f"org.varlink.service.{kind}NotFound", "parameters": {kind.lower(): method}}
                connection.sendall((answer if isinstance(answer, bytes) else json.dumps(answer).encode()) + b"\0")

    def interfaces(self):
        return self.answers.get("org.varlink.service.GetInfo", {}).get("parameters", {}).get("interfaces", [])

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def info(product, *interfaces):
    return {"org.varlink.service.GetInfo": {"parameters": {
        "vendor": "somebody", "product": product, "version": "0.1", "url": "",
        "interfaces": ["org.varlink.service", *interfaces]}}}


HELLO = {"io.extensiond.Broker.Hello": {"parameters": {"verified": False, "generation": "g"}}}


class Brokers(ProbeWorld):
    def fake(self, answers):
        broker = FakeBroker(self.run_directory / "extensiond/broker/io.extensiond.Broker", answers)
        self.addCleanup(broker.close)
        return self.probe()

    def test_none_then_one_that_comes(self):
        host = self.probe()
        self.assertIn("brokerUnavailable: cannot connect to", host.do("broker"))
        self.assertIn("error brokerUnavailable", host.do("monitor first"))
        waiting = host.send("wait")
        self.assertIn("brokerUnavailable", host.do("broker"))
        self.ready()
        self.assertEqual(host.result(waiting), "ok")
        self.assertEqual(host.do("broker"), "available")
        self.assertEqual(host.do("monitor first"), "[Ext 1.0] disabled 0 unapproved 0")

    def test_a_monitor_says_whether_it_is_current(self):
        self.ready()
        host = self.probe()
        host.do("monitor first")
        host.do("observe-broker")
        self.assertEqual(host.event(), "broker available")
        self.kill_broker()
        self.assertIn("broker brokerUnavailable", host.event())
        self.assertEqual(host.do("list"), "[Ext 1.0] disabled 0 unapproved 0")
        self.start_broker()
        while (event := host.event()) != "broker available":
            self.assertIn("brokerUnavailable", event)

    def test_an_older_one_is_named(self):
        host = self.fake({**info("Extension broker", "io.extensiond.Broker"), **HELLO})
        said = host.do("monitor first")
        self.assertTrue(said.startswith("error brokerIncompatible: the broker, Extension broker 0.1 of somebody,"), said)
        self.assertIn("io.extensiond.Broker.Subscribe", said)
        self.assertIn("update extensiond", said)

    def test_another_product_is_named(self):
        host = self.fake(info("Coffee machine", "org.example.Coffee"))
        for command in ("monitor first", "wait"):
            said = host.do(command)
            self.assertTrue(said.startswith("error brokerIncompatible: at /"), said)
            self.assertIn("listens Coffee machine 0.1 of somebody, which is no broker", said)

    def test_one_that_answers_otherwise(self):
        host = self.fake({
            **info("Extension broker", "io.extensiond.Broker"),
            "io.extensiond.Broker.Hello": {"parameters": {"verified": "perhaps"}}})
        self.assertIn("brokerIncompatible: the broker, Extension broker 0.1 of somebody", host.do("broker"))

    def test_one_that_speaks_no_varlink(self):
        host = self.fake({"io.extensiond.Broker.Hello": b"220 mail.example.org"})
        self.assertIn("brokerIncompatible: what listens at", host.do("broker"))

    def test_no_place_to_look_for_one(self):
        del self.env["XDG_RUNTIME_DIR"]
        self.assertIn("error brokerUnavailable: XDG_RUNTIME_DIR is not set", self.probe().do("wait"))

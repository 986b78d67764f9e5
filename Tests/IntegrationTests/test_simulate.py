"""`extctl dev simulate`: a host for the author of an extension."""

import json
import os
import pty
import select
import signal
import subprocess
import time

from probe import ENDING
from test_sdk import Samples
from world import BUILD, DEADLINE, World, until

NAME = "org.example.Ext"
INTERFACE = "org.example.Work"
# Speaks Varlink in both directions, with nothing but the standard library.
SERVICE = f'''
DESCRIPTION = "interface {INTERFACE}\\nmethod Greet(name: string) -> (greeting: string)\\n"
def serve(fd, scene):
    connection = socket.socket(fileno=fd)
    def say(**message): connection.sendall(json.dumps(message).encode() + b"\\0")
    def messages():
        buffer = b""
        while data := connection.recv(4096):
            buffer += data
            while b"\\0" in buffer:
                message, _, buffer = buffer.partition(b"\\0")
                yield json.loads(message)
    incoming = messages()
    for call in incoming:
        name, parameters = call["method"].rpartition(".")[2], call.get("parameters", {{}})
        if name == "GetInfo":
            say(parameters={{"vendor": "Example", "product": "Ext", "version": "1", "url": "", "interfaces": ["{INTERFACE}"]}})
        elif name == "GetInterfaceDescription": say(parameters={{"description": DESCRIPTION}})
        elif name == "Greet":
            print("greets " + parameters["name"], flush=True)
            say(parameters={{"greeting": f"Hello, {{parameters['name']}}, from {{scene}}"}})
        elif name == "Count":
            for number in range(3): say(parameters={{"number": number}}, continues=True)
            say(error="io.extensiond.Connection.StreamEnded")
        elif name == "Forever":
            say(parameters={{}}, continues=True)
            while (message := next(incoming))["method"] != "io.extensiond.Connection.Cancel": pass
            say(error="io.extensiond.Connection.Cancelled", parameters={{}})
            print("cancelled", message["parameters"]["call"], flush=True)
        elif name == "Ask":
            say(method="org.example.Host.Where", parameters={{"of": "it"}})
            answer = next(incoming)
            say(parameters={{"told": answer.get("error") or answer["parameters"]}})
        elif name == "Note": print("noted", flush=True)
        elif name == "Exit": os._exit(7)
        elif name == "Hang": pass
        else: say(error="{INTERFACE}.Nobody", parameters={{"of": name}})
    connection.close()
def accept(p):
    fd = fds.pop(0)
    if p.get("scene") == "Closed":
        os.close(fd); return answer({{"answers": p["call"], "message": "not today"}}, "ConnectionRejected")
    threading.Thread(target=serve, args=(fd, p.get("scene")), daemon=True).start()
    answer({{"answers": p["call"]}})
'''


class Simulates(World):
    def setUp(self):
        super().setUp()
        self.put(self.make_host())
        self.start_broker()

    def make(self, **options):
        return self.make_bundle(**{"body": SERVICE, **options})

    def simulate(self, *arguments, commands=(), **options):
        return self.extctl(
            "dev", "simulate", *arguments, input="".join(f"{line}\n" for line in commands), **options)

    def nothing_is_left(self):
        until(lambda: not self.ask("ListInstances")["instances"], "no instance")
        self.assertNotIn(NAME, self.extctl("list").stdout)

    def test_a_bundle_is_called_without_approval_and_gone_afterwards(self):
        done = self.simulate(self.make(), "--call", f'{INTERFACE}.Greet {{"name": "Ada"}}', "--call", f"{INTERFACE}.Greet " '{"name":"Grace"}')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            [json.loads(line)["greeting"] for line in done.stdout.splitlines()], ["Hello, Ada, from None", "Hello, Grace, from None"])
        for text in (
            f"{NAME}: developer; for org.example.Host.Point", "has started (process", "is ready", "the extension is activated",
            "connection 1 is open", "| greets Ada", "the extension is deactivated: hostEnded",
        ):
            self.assertIn(text, done.stderr)
        self.nothing_is_left()

    def test_what_is_installed_is_used_as_by_any_host(self):
        path = self.put(self.make())
        self.wait_state(path, "unapproved")
        call = ("--call", f'{INTERFACE}.Greet {{"name":"Ada"}}')
        refused = self.simulate(NAME, *call)
        self.assertEqual((refused.returncode, refused.stdout), (3, ""))
        self.assertIn("approve", refused.stderr)
        self.approve(NAME)
        for _ in range(2):
            done = self.simulate(NAME, *call)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, '{"greeting":"Hello, Ada, from None"}\n')
            self.assertEqual(done.stderr.count("| greets Ada"), 1, "lines of another time are no news")
        self.assertEqual(self.simulate("org.example.None").returncode, 1)

    def test_each_scene_has_a_connection(self):
        bundle = self.make(scenes=', "scenes": ["One", "Two", "Closed"]')
        greet = 'call org.example.Work.Greet {"name":"x"}'
        done = self.simulate(bundle, commands=[greet, "use 3", greet, "close", "use 2", greet, "connect Two", greet, "use 9"])
        self.assertEqual(
            [json.loads(line)["greeting"][9:] for line in done.stdout.splitlines()],
            [" from None", " from Two", " from One", " from Two"])
        self.assertIn("error: scene Closed: the extension refused the connection: not today", done.stderr)
        self.assertIn("connection 3 (Two) was closed by this side", done.stderr)
        self.assertIn("there is no connection 9; there are: 1, 2, 4", done.stderr)
        self.assertIn("scene One is deactivated: hostEnded", done.stderr)
        # A refusal and a wrong command are failures.
        self.assertEqual(done.returncode, 1)
        done = self.simulate(bundle, "--scene", "Two", "--scene", "One", "--call", f'{INTERFACE}.Greet {{"name":"x"}}')
        self.assertEqual((done.returncode, done.stdout), (0, '{"greeting":"Hello, x, from Two"}\n'))
        self.assertNotIn("the extension is activated", done.stderr)
        done = self.simulate(bundle, "--scene", "Three")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the extension has no scene Three; it has: One, Two, Closed", done.stderr)
        done = self.simulate(bundle, "--scene", "Closed", commands=[greet])
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("there is no connection; 'connect' opens one", done.stderr)

    def test_a_stream_is_one_line_an_answer(self):
        bundle = self.make()
        numbers = '{"number":0}\n{"number":1}\n{"number":2}\n'
        done = self.simulate(bundle, "--more", "--call", f"{INTERFACE}.Count")
        self.assertEqual((done.returncode, done.stdout), (0, numbers), done.stderr)
        done = self.simulate(bundle, commands=[
            f"oneway {INTERFACE}.Note", f"more {INTERFACE}.Count", "wait", f"more {INTERFACE}.Forever", "cancel",
            f'call {INTERFACE}.Greet {{"name":"Ada"}}'])
        self.assertEqual(done.stdout, numbers + "{}\n" '{"greeting":"Hello, Ada, from None"}\n')
        self.assertIn("io.extensiond.Connection.Cancelled", done.stderr)
        self.assertIn("| noted", done.stderr)
        self.assertIn("| cancelled 3", done.stderr)

    def test_an_error_is_the_exit_status(self):
        bundle = self.make()
        done = self.simulate(bundle, "--call", f"{INTERFACE}.Other", "--call", f'{INTERFACE}.Greet {{"name":"Ada"}}')
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f'{INTERFACE}.Other answered {INTERFACE}.Nobody {{"of":"Other"}}', done.stderr)
        for command, text in (
            ("dance", "there is no command 'dance' here"), ("call Greet", "a method is missing"),
            (f"call {INTERFACE}.Greet Ada", "the parameters are not JSON"),
        ):
            done = self.simulate(bundle, commands=[command, "help", f'call {INTERFACE}.Greet {{"name":"Ada"}}'])
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, done.stderr)
            self.assertIn("call METHOD [JSON]", done.stderr)
            self.assertIn("Hello, Ada", done.stdout)

    def test_it_says_what_it_is(self):
        done = self.simulate(self.make(), commands=["info"])
        self.assertEqual(done.returncode, 0, done.stderr)
        first, *rest = done.stdout.splitlines()
        self.assertEqual(json.loads(first)["interfaces"], [INTERFACE])
        self.assertEqual(rest, [f"interface {INTERFACE}", "method Greet(name: string) -> (greeting: string)"])

    def test_the_extension_calls_its_host(self):
        bundle, ask = self.make(), ("--call", f"{INTERFACE}.Ask")
        done = self.simulate(bundle, *ask)
        self.assertEqual(done.stdout, '{"told":"org.varlink.service.MethodNotImplemented"}\n')
        self.assertIn('the extension calls org.example.Host.Where {"of":"it"}; it is told that this is not', done.stderr)
        done = self.simulate(bundle, *ask, "--answer", 'org.example.Host.Where={"place":"a=b"}')
        self.assertEqual(done.stdout, '{"told":{"place":"a=b"}}\n')
        done = self.simulate(bundle, *ask, "--answer", "org.example.Host.Where")
        self.assertEqual(done.returncode, 2)
        self.assertIn("write METHOD=JSON", done.stderr)

    def test_what_becomes_of_an_extension_is_told(self):
        bundle, greet = self.make(), f'call {INTERFACE}.Greet {{"name":"x"}}'
        done = self.simulate(bundle, commands=["kill", "connect", greet, "stop", "connect", greet, "end", "connect", greet, "quit", "dance"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("Hello, x"), 3)
        told = [line for line in done.stderr.splitlines() if line.startswith(("the extension", "connection"))]
        self.assertEqual([line for line in told if "deactivated" in line or " ends" in line][0], "the extension is deactivated: killed (signal 9)")
        self.assertIn("connection 1 was closed by the extension", told)
        self.assertRegex(done.stderr, r"the extension ends within \d+ ms: stopping\n")
        self.assertIn("the extension is deactivated: stopping", told)
        self.assertEqual(told.count("the extension is deactivated: hostEnded"), 2)
        self.nothing_is_left()

    def test_an_extension_that_ends_in_a_call_is_a_failure(self):
        done = self.simulate(self.make(), "--call", f"{INTERFACE}.Exit")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"error: {INTERFACE}.Exit was not answered: the connection is closed", done.stderr)
        self.assertIn("the extension is deactivated: exited (status 7)", done.stderr)

    def test_one_that_cannot_start_or_is_broken_says_so(self):
        broken = self.make(program="#!/bin/sh\necho no configuration >&2\nexit 3\n")
        done = self.simulate(broken)
        self.assertEqual(done.returncode, 4)
        self.assertIn("| no configuration", done.stderr)
        self.assertIn("exited", done.stderr)
        (broken / "main.py").chmod(0o644)
        done = self.simulate(broken)
        self.assertEqual(done.returncode, 3)
        self.assertIn("main.py", done.stderr)
        self.assertIn("is no bundle that can be read", self.simulate(self.place / "none.appex").stderr)
        self.stop_broker()

    def test_everything_is_json_where_that_is_wanted(self):
        done = self.simulate(
            self.make(), "--json", commands=[f'call {INTERFACE}.Greet {{"name":"Ada"}}', f"more {INTERFACE}.Count", f"call {INTERFACE}.Other", "dance"])
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertTrue(all(line["schema"] == 1 for line in lines))
        events = [line["event"] for line in lines if "event" in line]
        for event in ("found", "started", "ready", "activated", "connected", "output", "streamEnded", "deactivated"):
            self.assertEqual(events.count(event), 1, (event, events))
        replies = [line for line in lines if line.get("event") == "reply"]
        self.assertEqual([line["parameters"].get("number") for line in replies], [None, 0, 1, 2])
        self.assertEqual([line.get("continues") for line in replies], [None, True, True, True])
        error = next(line for line in lines if line.get("event") == "error")
        self.assertEqual((error["error"], error["parameters"]), (f"{INTERFACE}.Nobody", {"of": "Other"}))
        self.assertEqual(next(line["error"]["status"] for line in lines if "event" not in line), 2)
        self.assertEqual(next(line for line in lines if line.get("event") == "deactivated")["reason"]["kind"], "hostEnded")

    def test_lines_come_back(self):
        done = self.simulate(self.make_bundle(), commands=["line Ada", "line {", "line Grace Hopper"])
        self.assertEqual((done.returncode, done.stdout), (0, "Ada\n{\nGrace Hopper\n"), done.stderr)
        stdio = self.make_bundle("org.example.Cat", info={"Extensiond": {"Runtime": "stdio"}}, program="#!/bin/sh\nsed s/^/I:/\n")
        done = self.simulate(stdio, commands=["line Ada", "line Grace Hopper"])
        self.assertEqual((done.returncode, done.stdout), (0, "I:Ada\nI:Grace Hopper\n"), done.stderr)

    def test_lines_that_come_together_all_come_back(self):
        done = self.simulate(self.make_bundle(body=ENDING), commands=[f"line {number}" for number in range(30)])
        self.assertEqual(done.stdout.splitlines(), [str(number) for number in range(30)])

    def test_ctrl_c_ends_it_in_order(self):
        process = subprocess.Popen(
            [BUILD / "extctl", "dev", "simulate", self.make()], env=self.env, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            process.stdin.write(f"call {INTERFACE}.Hang\n")
            process.stdin.flush()
            until(lambda: self.ask("ListActivations")["activations"], "the activation")
            process.send_signal(signal.SIGINT)
            _, events = process.communicate(timeout=DEADLINE)
        finally:
            process.kill()
            process.communicate()
        self.assertIn("the extension is deactivated: hostEnded", events)
        self.nothing_is_left()

    def test_the_broker_s_end_is_told(self):
        process = subprocess.Popen(
            [BUILD / "extctl", "dev", "simulate", self.make()], env=self.env, stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            until(lambda: self.ask("ListActivations")["activations"], "the activation")
            self.stop_broker()
            _, events = process.communicate(timeout=DEADLINE)
        finally:
            process.kill()
            process.communicate()
        self.assertEqual(process.returncode, 69)
        self.assertIn("the service closed the connection", events)
        self.assertFalse(self.can_connect(self.run_directory / "extensiond/admin/io.extensiond.Admin"), "it starts no other one")

    def test_who_types_is_not_kept_waiting_by_a_call(self):
        main, terminal = pty.openpty()
        process = subprocess.Popen(
            [BUILD / "extctl", "dev", "simulate", self.make()], env=self.env, stdin=terminal, stdout=terminal,
            stderr=subprocess.STDOUT)
        os.close(terminal)
        output = b""

        def wait_for(text):
            nonlocal output
            end = time.monotonic() + DEADLINE
            while text not in output:
                if not select.select([main], [], [], end - time.monotonic())[0]:
                    raise AssertionError(f"{text} did not come, but {output}")
                output += os.read(main, 4096)

        try:
            wait_for(b"'help' lists them")
            os.write(main, f"call {INTERFACE}.Hang\nkill\n".encode())
            wait_for(b"the extension is deactivated: killed")
            os.write(main, b"quit\n")
            self.assertEqual(process.wait(DEADLINE), 1)
        finally:
            process.kill()
            process.wait()
            os.close(main)

    def test_options_of_one_are_not_for_the_other(self):
        done = self.extctl("dev", "run", self.make(), "--scene", "One")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--scene is for 'dev simulate'", done.stderr)
        self.assertIn("there is no 'dev walk'", self.extctl("dev", "walk", "x").stderr)
        done = self.simulate(NAME, "--wait")
        self.assertEqual(done.returncode, 2)


class Swift(Samples):
    """The sample in Swift: one of its scenes takes no connections."""

    def test_it_is_used_with_its_scenes(self):
        greet = 'call com.example.greeting.Host.Greet {"name":"Ada"}'
        done = self.extctl("dev", "simulate", "com.example.extension", input=f'{greet}\nuse 2\n{greet}\n{greet.replace("Ada", "nobody")}\ninfo\n')
        self.assertEqual(done.stdout.splitlines()[:2], ['{"greeting":"Hello, Ada, from no scene"}', '{"greeting":"Hello, Ada, from GreetingScene"}'])
        self.assertIn('answered com.example.greeting.Host.NobodyThere {"name":"nobody"}', done.stderr)
        self.assertIn("error: scene SecondScene: the extension refused the connection: this scene takes no connections", done.stderr)
        self.assertIn("interface com.example.greeting.Host", done.stdout)
        self.assertIn("scene SecondScene is deactivated: hostEnded", done.stderr)
        self.assertEqual(done.returncode, 1)

"""Activations, connections, and how they end."""


from world import POINT, VarlinkError, World, until


class Use(World):
    def test_refused_until_approved_and_never_named(self):
        self.put(self.make_host())
        path = self.put(self.make_bundle())
        self.start_broker()
        snapshot = self.host().call("Discover", extensionPoints=[POINT])["snapshot"]
        self.assertEqual(snapshot, {"identities": [], "disabledCount": 0, "unapprovedCount": 1})
        with self.assertRaises(VarlinkError) as caught:
            self.host().call("Activate", extension="org.example.Ext")
        self.assertEqual(caught.exception.name, "ExtensionNotEnabled")
        self.assertEqual(caught.exception.parameters["state"], "unapproved")
        self.assertEqual(self.ask("ListInstances")["instances"], [])
        self.assertEqual(self.state(path), "unapproved")

    def test_global_and_scene_connections_side_by_side(self):
        identifier = self.ready(scenes=', "scenes": ["One", "Two"]')
        host = self.host()
        _, _, whole = self.activate(host, connect=True)
        _, _, one = self.activate(host, scene="One", connect=True)
        activation, _, _ = self.activate(host, scene="Two")
        host.call("Connect", activation=activation)
        two = host.take()
        self.addCleanup(two.close)
        for connection in (whole, one, two):
            self.echo(connection)
        self.assertEqual(len(self.ask("ListInstances")["instances"]), 1)
        with self.assertRaises(VarlinkError) as caught:
            self.activate(host, scene="Three")
        self.assertEqual(caught.exception.name, "SceneNotFound")
        self.assertEqual(caught.exception.parameters, {"scene": "Three", "scenes": ["One", "Two"]})
        self.echo(whole)

    def test_rejection_has_a_reason(self):
        body = 'def accept(p):\n    os.close(fds.pop(0)); answer({"answers": p["call"], "message": "not today"}, "ConnectionRejected")'
        self.ready(body=body)
        with self.assertRaises(VarlinkError) as caught:
            self.activate(self.host(), connect=True)
        self.assertEqual((caught.exception.name, caught.exception.parameters["message"]), ("ConnectionRejected", "not today"))

    def test_each_end_is_told_once_with_its_reason(self):
        body = (
            'def accept(p):\n    fd = fds.pop(0); answer({"answers": p["call"]})\n'
            '    word = os.read(fd, 9).decode()\n    sys.stderr.write("last words\\n")\n'
            '    if word == "exit": os._exit(7)\n    if word == "abort": os.abort()\n    os.kill(os.getpid(), 9)'
        )
        self.ready(body=body)
        stream = self.subscribe()
        stream.receive()
        expected = {"exit": ("exited", "status", 7), "abort": ("crashed", "signal", 6), "kill": ("killed", "signal", 9)}
        for word, (kind, field, number) in expected.items():
            host = self.host()
            activation, lease, connection = self.activate(host, connect=True)
            connection.sendall(word.encode())
            event = self.events(stream, activation, ["activated", "deactivated"])
            self.assertEqual((event["reason"]["kind"], event["reason"][field]), (kind, number))
            self.assertEqual(lease.recv(1), b"")
            self.assertEqual(host.call("GetActivation", activation=activation)["event"]["reason"]["kind"], kind)
            with self.assertRaises(VarlinkError) as caught:
                host.call("Connect", activation=activation)
            self.assertEqual(caught.exception.name, "ActivationEnded")
            self.ask("Reset", extension="org.example.Ext")
            self.approve("org.example.Ext")
        self.assertIn("last words", self.ask("Logs", extension="org.example.Ext")["lines"])

    def test_the_host_lets_go_and_the_extension_ends(self):
        self.ready()
        stream = self.subscribe()
        stream.receive()
        activation, lease, _ = self.activate(self.host())
        lease.close()
        event = self.events(stream, activation, ["activated", "deactivated"])
        self.assertEqual(event["reason"]["kind"], "hostEnded")
        until(lambda: not self.ask("ListInstances")["instances"], "no instance")

    def test_disabled_while_it_runs(self):
        self.ready()
        stream = self.subscribe()
        stream.receive()
        activation, lease, connection = self.activate(self.host(), connect=True)
        self.events(stream, activation, ["activated"])
        self.ask("Disable", extension="org.example.Ext")
        states = []
        change = None
        while states != ["willDeactivate", "deactivated"]:
            reply = stream.receive()
            change = reply.get("change", change)
            if "activation" in reply:
                states.append(reply["activation"]["state"])
                self.assertEqual(reply["activation"]["reason"]["kind"], "disabled")
        self.assertEqual((change["removed"], change["disabledCount"]), (["org.example.Ext"], 1))
        self.assertEqual((lease.recv(1), connection.recv(1)), (b"", b""))

    def test_stop_answers_when_it_has_ended(self):
        self.ready()
        self.activate(self.host())
        self.assertEqual(self.ask("Stop", target="org.example.Ext"), {"ended": 1})
        self.assertEqual(self.ask("ListInstances")["instances"], [])

    def test_an_extension_that_ignores_stop_is_killed(self):
        self.ready(body='def stop(p): pass\nimport signal\nsignal.signal(15, signal.SIG_IGN)')
        self.activate(self.host())
        self.assertEqual(self.ask("Stop", target="org.example.Ext"), {"ended": 1})

    def test_hosts_have_instances_of_their_own_unless_the_point_shares(self):
        self.ready(host={"point": {"InstancePolicy": "shared"}})
        for name in ("org.example.A", "org.example.B"):
            self.activate(self.host(name))
        self.assertEqual(len(self.ask("ListInstances")["instances"]), 1)


class Failures(World):
    def fail(self, **options):
        self.ready(**options)
        with self.assertRaises(VarlinkError) as caught:
            self.activate(self.host())
        self.assertEqual(caught.exception.name, "ActivationFailed")
        until(lambda: not self.ask("ListInstances")["instances"], "no instance")
        return caught.exception.parameters

    def test_exit_at_once_shows_status_and_last_lines(self):
        parameters = self.fail(program="#!/bin/sh\necho cannot find my configuration >&2\nexit 3\n")
        self.assertEqual((parameters["reason"]["kind"], parameters["reason"]["status"]), ("exited", 3))
        self.assertEqual(parameters["standardError"], ["cannot find my configuration"])

    def test_a_missing_interpreter_is_named_with_its_error(self):
        parameters = self.fail(program="#!/usr/bin/no-such-interpreter\n")
        self.assertEqual(
            (parameters["reason"]["kind"], parameters["reason"]["stage"], parameters["reason"]["errno"]),
            ("startFailed", "program", 2))

    def test_no_answer_to_start_is_ended_at_the_deadline(self):
        parameters = self.fail(program="#!/bin/sh\nexec sleep 100\n", info={"Extensiond": {"StartTimeout": 1}})
        self.assertEqual((parameters["reason"]["kind"], parameters["reason"]["stage"]), ("startTimedOut", "Start"))

    def test_garbage_on_the_control_socket_ends_it(self):
        parameters = self.fail(body='def start(p): control.sendall(b"\\xff{]\\0"); time.sleep(100)')
        self.assertEqual(parameters["reason"]["kind"], "crashed")

    def test_three_crashes_rest_and_reset_ends_the_rest(self):
        self.ready(program="#!/bin/sh\nexit 3\n")
        kinds = []
        for _ in range(4):
            with self.assertRaises(VarlinkError) as caught:
                self.activate(self.host())
            kinds.append(caught.exception.parameters["reason"]["kind"])
        self.assertEqual(kinds, ["exited"] * 3 + ["quarantined"])
        self.assertIn("quarantinedUntil", self.listed("org.example.Ext")[0])
        self.assertIn("exited with status 3", self.extctl("explain", "org.example.Ext").stdout)
        self.ask("Reset", extension="org.example.Ext")
        self.assertNotIn("quarantinedUntil", self.listed("org.example.Ext")[0])

    def test_the_sandbox_shows_only_what_it_should(self):
        body = (
            'def accept(p):\n    fd = fds.pop(0); answer({"answers": p["call"]})\n'
            '    facts = {"home": os.environ["HOME"], "cwd": os.getcwd(), "fds": sorted(os.listdir("/proc/self/fd")),\n'
            '      "root": sorted(os.listdir("/")), "env": sorted(os.environ), "procs": sum(n.isdigit() for n in os.listdir("/proc")),\n'
            '      "net": os.listdir("/sys/class/net") if os.path.exists("/sys/class/net") else [],\n'
            '      "pid": os.environ["LISTEN_PID"] == str(os.getpid()),\n'
            '      "write": os.access("/extension", os.W_OK)}\n'
            '    open("kept", "w").write("x"); os.write(fd, json.dumps(facts).encode())'
        )
        self.ready(body=body)
        import json

        _, _, connection = self.activate(self.host(), connect=True)
        facts = json.loads(connection.recv(65536))
        self.assertEqual((facts["home"], facts["cwd"], facts["pid"]), ("/home/extension", "/home/extension", True))
        self.assertEqual(facts["net"], [])
        self.assertFalse(facts["write"])
        self.assertLessEqual(facts["procs"], 3)
        self.assertEqual(
            facts["env"],
            sorted(["EXTENSION_BUNDLE", "EXTENSION_IDENTIFIER", "HOME", "LANG", "LISTEN_FDNAMES", "LISTEN_FDS", "LISTEN_PID",
             "PATH", "SWIFT_BACKTRACE", "TMPDIR"] + ([] if "PWD" not in facts["env"] else ["PWD"])
             + ([] if "LC_CTYPE" not in facts["env"] else ["LC_CTYPE"])))
        self.assertTrue((self.home / ".local/share/extensiond-containers/org.example.Ext/kept").exists())

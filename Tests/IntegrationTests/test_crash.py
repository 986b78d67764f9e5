"""A broker's or a launcher's death breaks nothing that it need not."""

import contextlib
import json
import os
import pathlib
import random
import select
import shutil
import signal
import socket
import subprocess
import threading

from world import BUILD, DEADLINE, VarlinkError, World, until


class Crash(World):
    environment = {"EXTENSIOND_SETTLE_MS": "0"}

    def test_connections_and_activations_outlive_the_broker(self):
        self.ready()
        activation, lease, connection = self.activate(self.host(), connect=True)
        for _ in range(5):
            self.kill_broker()
            self.echo(connection)
            self.start_broker()
            host = self.host()
            self.assertEqual(host.call("GetActivation", activation=activation)["event"]["state"], "activated")
            host.call("Connect", activation=activation)
            fresh = host.take()
            self.echo(fresh)
            fresh.close()
        self.assertEqual(len(self.ask("ListInstances")["instances"]), 1)
        lease.close()
        until(lambda: not self.ask("ListInstances")["instances"], "no instance")

    def test_a_launcher_that_starts_slowly_is_not_missed(self):
        launcher = self.place / "launcher"
        launcher.write_text(f'#!/bin/sh\nsleep 1.5\nexec {BUILD / "extensiond-launcher"} "$@"\n')
        launcher.chmod(0o755)
        # It waits a shorter time for a broker than the broker does between its tries.
        self.env |= {"EXTENSIOND_LAUNCHER": str(launcher), "EXTENSIOND_IDLE_MS": "500"}
        self.ready()
        _, lease, connection = self.activate(self.host(), connect=True)
        self.echo(connection)
        lease.close()

    def test_a_launcher_outlives_the_update_of_its_package(self):
        programs = self.place / "programs"
        programs.mkdir()
        init = programs / "extension-init"
        shutil.copy(BUILD / init.name, init)
        self.env |= {"EXTENSIOND_INIT": str(init)}
        self.ready()
        for round in range(2):
            _, lease, connection = self.activate(self.host(), connect=True)
            self.echo(connection)
            connection.close()
            lease.close()
            until(lambda: not self.ask("ListInstances")["instances"], "no instance")
            # As a package manager does it: the new file takes the old one's place.
            shutil.copy(BUILD / init.name, programs / "new")
            (programs / "new").rename(init)

    def test_a_launcher_that_is_still_starting_ends_with_its_broker(self):
        launcher, told = self.place / "launcher", self.place / "told"
        launcher.write_text(f"#!/bin/sh\necho $$ > {told}.new; mv {told}.new {told}\nexec sleep 1000\n")
        launcher.chmod(0o755)
        self.start_broker(EXTENSIOND_LAUNCHER=str(launcher))
        until(told.exists, "the launcher's number")
        process = os.pidfd_open(int(told.read_text()))
        self.addCleanup(os.close, process)
        try:
            self.stop_broker()
            self.assertTrue(select.select([process], [], [], DEADLINE)[0], "the launcher lives on")
        finally:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(process, signal.SIGKILL)

    def test_an_end_while_no_broker_is_there_is_told_afterwards(self):
        self.ready()
        activation, lease, _ = self.activate(self.host())
        process = self.ask("ListInstances")["instances"][0]["pid"]
        self.kill_broker()
        os.kill(process, signal.SIGKILL)
        self.assertEqual(lease.recv(1), b"")
        self.start_broker()
        stream = self.subscribe()
        event = self.events(stream, activation, ["deactivated"])
        self.assertEqual(event["reason"]["kind"], "killed")

    def test_an_answer_that_a_dying_broker_had_half_taken(self):
        self.ready(body="""
whole = accept
def accept(p):
    global accept
    accept = whole
    os.close(fds.pop(0))
    os.mkfifo("rest")
    text = json.dumps({"parameters": {"answers": p["call"]}}).encode() + b"\\0"
    control.sendall(text[:20])
    open("half", "w").close()
    control.sendall(open("rest", "rb").read() + text[20:])
""")
        activation, lease, _ = self.activate(self.host())
        self.host().send("Activate", {"extension": "org.example.Ext", "connect": True})
        container = self.home / ".local/share/extensiond-containers/org.example.Ext"
        until(lambda: (container / "half").exists(), "half of an answer")
        # The broker takes what is there before it answers this.
        self.ask("ListInstances")
        self.kill_broker()
        (container / "rest").write_bytes(b"")
        self.start_broker()
        _, _, connection = self.activate(self.host(), connect=True)
        self.echo(connection)
        self.assertEqual(select.select([lease], [], [], 0)[0], [])

    def test_a_host_that_lets_go_while_no_broker_is_there(self):
        self.ready()
        _, lease, _ = self.activate(self.host())
        self.kill_broker()
        lease.close()
        self.start_broker()
        until(lambda: not self.ask("ListInstances")["instances"], "no instance")
        self.assertEqual(self.ask("ListActivations")["activations"], [])

    def test_a_kill_at_any_moment_of_an_activation(self):
        self.ready()
        seed = random.randrange(1 << 32)
        draw = random.Random(seed)
        for _ in range(15):
            host = self.host()
            timer = threading.Timer(draw.random() * 0.06, self.kill_broker)
            timer.start()
            try:
                _, lease, connection = self.activate(host, connect=True)
            except (EOFError, ConnectionError, VarlinkError, BrokenPipeError):
                lease = None
            timer.join()
            self.start_broker()
            if lease is None:
                _, lease, connection = self.activate(self.host(), connect=True)
            self.echo(connection)
            self.assertLessEqual(len(self.ask("ListActivations")["activations"]), 1, f"seed {seed}")
            lease.close()
            connection.close()
            until(lambda: not self.ask("ListInstances")["instances"], f"no instance (seed {seed})")

    def test_the_launchers_death_ends_all_and_a_new_one_comes(self):
        self.ready()
        stream = self.subscribe()
        stream.receive()
        activation, lease, connection = self.activate(self.host(), connect=True)
        process = self.ask("ListInstances")["instances"][0]["pid"]
        os.kill(self.launcher(), signal.SIGKILL)
        event = self.events(stream, activation, ["activated", "deactivated"])
        self.assertEqual(event["reason"]["kind"], "launcherGone")
        self.assertEqual((lease.recv(1), connection.recv(1)), (b"", b""))
        until(lambda: not os.path.exists(f"/proc/{process}"), "the instance's end")
        _, _, connection = self.activate(self.host(), connect=True)
        self.echo(connection)

    def test_nothing_is_left_of_many_uses(self):
        self.ready()
        def use():
            host = self.host()
            _, lease, connection = self.activate(host, connect=True)
            self.echo(connection)
            connection.close()
            lease.close()
            host.close()
            self.clients.remove(host)
            until(lambda: not self.ask("ListInstances")["instances"], "no instance")
        launcher = self.launcher()
        count = lambda: [len(os.listdir(f"/proc/{pid}/fd")) for pid in (self.broker.pid, launcher)]
        use()
        before = count()
        for _ in range(20):
            use()
        until(
            lambda: all(now <= then for now, then in zip(count(), before)),
            f"no more descriptors than before ({before}, now {count()})")
        children = pathlib.Path(f"/proc/{launcher}/task/{launcher}/children").read_text()
        self.assertEqual(children, "")

    def test_a_state_that_kills_brokers_is_given_up(self):
        self.env["EXTENSIOND_SETTLE_MS"] = "60000"
        self.ready()
        _, lease, _ = self.activate(self.host())
        for _ in range(3):
            self.kill_broker()
            self.start_broker()
            self.launcher()
        self.assertEqual(lease.recv(1), b"")
        self.assertIn("brokers in a row ended soon", self.log_text())
        until(lambda: not self.ask("ListInstances")["instances"], "no instance")
        _, _, connection = self.activate(self.host(), connect=True)
        self.echo(connection)

    def test_a_launcher_that_is_newer_is_refused_until_a_fitting_one_comes(self):
        self.refuses(4, "restart extensiond.service")

    def test_a_launcher_that_is_older_is_refused_until_a_fitting_one_comes(self):
        self.refuses(0, "restart extensiond-launcher.service")

    def refuses(self, version, mend):
        path = self.run_directory / "extensiond/launcher/io.extensiond.Launcher"
        path.parent.mkdir(parents=True, mode=0o700)
        process = subprocess.Popen(["sleep", "1000"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        said = []
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(str(path))
            listener.listen()

            def serve():
                while True:
                    try:
                        connection, _ = listener.accept()
                    except OSError:
                        return
                    with connection:
                        while packet := connection.recv(1 << 16):
                            call = json.loads(packet)
                            said.append(call["method"])
                            connection.send(json.dumps({"parameters": {
                                "answers": call["parameters"]["request"], "protocol": version, "pid": process.pid,
                                "controlGroups": False, "controllers": [], "unsettledStarts": 0, "rows": 0,
                            }}).encode())

            threading.Thread(target=serve, daemon=True).start()
            self.ready()
            with self.assertRaises(VarlinkError) as failure:
                self.activate(self.host())
            self.assertEqual(failure.exception.parameters["reason"]["stage"], "launcher")
            for text in (failure.exception.parameters["message"], *self.ask("Status")["warnings"], self.log_text()):
                self.assertIn(f"process {process.pid}) speaks version {version}", text)
                self.assertIn(mend, text)
            self.assertEqual(said, ["io.extensiond.Launcher.Hello"])
            listener.shutdown(socket.SHUT_RDWR)
        path.unlink()
        process.kill()
        self.launcher()
        self.assertEqual(self.ask("Status")["warnings"], [])
        self.activate(self.host())

"""Signed bundles: extctl signs them, the broker verifies them, with real keys of ssh-keygen."""

import os
import pty
import json
import select
import shutil
import subprocess

from world import DEADLINE, World, until

FILE = "_Signature/statement.sig"


class Signatures(World):
    def setUp(self):
        super().setUp()
        self.counter = self.place / "runs"
        self.keygen = self.place / "keygen"
        self.keygen.write_text(f'#!/bin/sh\necho x >>{self.counter}\nexec /usr/bin/ssh-keygen "$@"\n')
        self.keygen.chmod(0o755)

    def key(self, name="key", kind="ed25519", passphrase=""):
        path = self.place / name
        subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-f", path], check=True)
        return path

    def fingerprint(self, key):
        said = subprocess.run(["ssh-keygen", "-l", "-f", f"{key}.pub"], check=True, capture_output=True, text=True)
        return said.stdout.split()[1]

    def sign(self, bundle, key, *options, **more):
        return self.extctl("sign", bundle, "--key", key, *options, **more)

    def signed(self, bundle, key):
        said = self.sign(bundle, key)
        self.assertEqual(said.returncode, 0, said.stderr)
        return bundle

    def runs(self):
        """How often ssh-keygen was started by the broker."""
        return self.counter.stat().st_size // 2 if self.counter.exists() else 0

    def rescan(self):
        self.assertEqual(self.extctl("rescan", "--wait").returncode, 0)

    def row(self, name="org.example.Ext"):
        return self.listed(name)[0]

    # Signing

    def test_a_signed_bundle_is_shown_with_its_key(self):
        for kind, label in (("ed25519", "ED25519"), ("rsa", "RSA"), ("ecdsa", "ECDSA")):
            key = self.key(kind, kind)
            bundle = self.signed(self.make_bundle(f"org.example.{kind}"), key)
            mark = f"{self.fingerprint(key)} ({label})"
            self.assertEqual(self.extctl("lint", bundle).stdout, f"{bundle}: nothing is wrong, signed by {mark}\n")
            self.put(bundle)
        self.put(self.make_bundle())
        self.start_broker()
        listed = self.extctl("list").stdout
        self.assertIn("SIGNED BY", listed)
        self.assertIn(f" {mark} ", listed)
        self.assertIn(" nobody ", listed)
        self.assertRegex(self.extctl("show", "org.example.ecdsa").stdout, f"signed by +{mark.replace('(', '.').replace(')', '.').replace('+', '.')}\n")
        self.assertRegex(self.extctl("show", "org.example.Ext").stdout, "signed by +nobody\n")
        self.assertEqual(
            (self.row("org.example.ecdsa")["publisher"], self.row("org.example.ecdsa")["publisherKeyType"]),
            (self.fingerprint(key), "ECDSA"))
        self.assertNotIn("publisher", self.row())
        row = json.loads(self.extctl("lint", self.root / "ecdsa.appex", "--json").stdout)["extensions"][0]
        known = {"explanation": "", "limits": []}
        self.assertEqual({**row, **known}, {**self.row("org.example.ecdsa"), **known})

    def test_a_signature_changes_nothing_that_was_approved(self):
        identifier = self.ready()
        path, key, other = self.root / "Ext.appex", self.key(), self.key("other")
        said = self.sign(path, key)
        self.assertEqual(said.stdout, f"signed {path} by {self.fingerprint(key)} (ED25519)\n", said.stderr)
        until(lambda: self.row().get("publisher") == self.fingerprint(key), "the signature being noticed")
        self.assertEqual(self.row(identifier)["state"], "enabled")
        said = json.loads(self.sign(path, other, "--json").stdout)
        self.assertEqual(said["publisher"], self.fingerprint(other))
        until(lambda: self.row().get("publisher") == self.fingerprint(other), "the other key")
        self.assertEqual(self.row(identifier)["state"], "enabled")
        self.assertEqual(sorted(os.listdir(self.root)), ["Ext.appex", "Host.app"], "nothing is left beside it")
        self.assertEqual(os.listdir(path / "_Signature"), ["statement.sig"])

    def test_a_bad_signature_is_invalid_however_it_came(self):
        identifier = self.ready()
        path = self.root / "Ext.appex"
        self.signed(path, self.key())
        until(lambda: self.row().get("publisher"), "the signature")
        file = path / FILE
        good = file.read_bytes()
        file.write_bytes(good.replace(b"A", b"B", 1))
        self.wait_state(path, "invalid")
        self.assertEqual([problem["check"] for problem in self.row()["problems"]], ["signature"])
        self.assertNotIn("publisher", self.row())
        self.assertIn("signature: ", self.extctl("lint", identifier).stdout)
        file.write_bytes(good)
        self.wait_state(path, "enabled")
        (path / "_Signature/more").write_text("x")
        self.wait_state(path, "invalid")
        shutil.rmtree(path / "_Signature")
        self.wait_state(path, "enabled")
        self.assertNotIn("publisher", self.row())

    def test_signed_by_hand(self):
        bundle, key = self.make_bundle(), self.key()
        statement = self.extctl("sign", bundle, "--statement")
        self.assertEqual(statement.returncode, 0, statement.stderr)
        self.assertTrue(statement.stdout.startswith("extensiond-bundle 1\nkind: appex\nidentifier: org.example.Ext\n"))
        self.assertFalse((bundle / "_Signature").exists())
        text = subprocess.run(
            ["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", "bundle@extensiond.io"], input=statement.stdout.encode(),
            capture_output=True, check=True).stdout
        (bundle / "_Signature").mkdir()
        (bundle / FILE).write_bytes(text)
        self.assertIn(f"signed by {self.fingerprint(key)}", self.extctl("lint", bundle).stdout)

    def test_what_is_invalid_is_not_signed(self):
        key, bundle = self.key(), self.make_bundle()
        (bundle / "main.py").chmod(0o644)
        said = self.sign(bundle, key)
        self.assertEqual(said.returncode, 1)
        self.assertIn("executableMode", said.stderr)
        self.assertFalse((bundle / "_Signature").exists())
        host = self.make_host()
        shutil.move(bundle, host / "Extensions")
        self.assertIn("executableMode", self.sign(host, key).stderr)
        self.assertNotEqual(self.sign(host / "Extensions/p.appextensionpoint", key).returncode, 0)
        self.assertIn("there is no", self.sign(self.place / "none.appex", key).stderr)
        (host / "Extensions/Ext.appex/main.py").chmod(0o755)
        self.signed(host / "Extensions/Ext.appex", key)
        self.signed(host, key)
        self.assertEqual(self.extctl("lint", host).stdout.count("nothing is wrong, signed by"), 2)

    def test_each_reason_not_to_sign_says_what_to_do(self):
        bundle = self.make_bundle()

        def refused(key, words, *options):
            # Without a terminal, whoever runs the tests.
            said = self.sign(bundle, key, *options, start_new_session=True, stdin=subprocess.DEVNULL)
            self.assertEqual(said.returncode, 1, said.stdout)
            self.assertIn(words, said.stderr)
            self.assertFalse((bundle / "_Signature").exists())

        refused(self.place / "none", f"ssh-keygen -t ed25519 -f {self.place}/none")
        locked = self.key("locked", passphrase="secret")
        refused(locked, f"has a passphrase, and there is no terminal to ask for it; run this in a terminal, or 'ssh-add {locked}'")
        lonely = self.key("lonely")
        lonely.unlink()
        refused(f"{lonely}.pub", "'ssh-add' gives it to the agent")
        text = self.place / "text"
        text.write_text("text")
        refused(text, "is no private key")
        short = self.place / "short"
        subprocess.run(["ssh-keygen", "-q", "-t", "rsa", "-b", "1024", "-N", "", "-f", short], check=True)
        refused(short, "an RSA key of 1024 bits")
        self.env["EXTENSIOND_SSH_KEYGEN"] = str(self.place / "nowhere")
        refused(locked, "install openssh-client")
        said = self.extctl("sign", bundle)
        self.assertEqual(said.returncode, 2)
        self.assertIn("--key is missing", said.stderr)

    def test_the_agent_signs(self):
        bundle, key = self.make_bundle(), self.key()
        socket = self.place / "agent"
        agent = subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.DEVNULL)
        self.addCleanup(agent.wait)
        self.addCleanup(agent.terminate)
        until(lambda: self.can_connect(socket), "ssh-agent")
        self.env["SSH_AUTH_SOCK"] = str(socket)
        subprocess.run(["ssh-add", "-q", key], env=self.env, check=True)
        key.unlink()
        self.signed(bundle, f"{key}.pub")
        self.assertIn(self.fingerprint(key), self.extctl("lint", bundle).stdout)

    def test_the_passphrase_is_asked_for_at_the_terminal(self):
        from world import BUILD

        bundle, key = self.make_bundle(), self.key(passphrase="secret")
        process, terminal = pty.fork()
        if process == 0:
            os.execve(BUILD / "extctl", ["extctl", "sign", str(bundle), "--key", str(key)], self.env)
        self.addCleanup(os.close, terminal)
        said = b""
        while b"passphrase" not in said:
            self.assertTrue(select.select([terminal], [], [], DEADLINE)[0], said)
            said += os.read(terminal, 1000)
        os.write(terminal, b"secret\n")
        while select.select([terminal], [], [], DEADLINE)[0]:
            try:
                said += os.read(terminal, 1000)
            except OSError:
                break
        self.assertEqual(os.waitpid(process, 0)[1], 0, said)
        self.assertIn(f"signed {bundle} by".encode(), said)

    # Approving

    def test_updates_signed_by_an_approved_key_stay_approved(self):
        key, other = self.key(), self.key("other")
        path = self.put(self.signed(self.make_bundle(), key))
        self.put(self.make_host())
        self.start_broker()
        self.assertEqual(self.extctl("approve", "--yes", "--publisher", "org.example.Ext").returncode, 0)
        digests = {self.row()["digest"]}

        def update(name, version, signer):
            bundle = self.make_bundle(where=self.place / name, body=f"# {name}", info={"CFBundleShortVersionString": version})
            said = self.extctl("install", self.signed(bundle, signer) if signer else bundle)
            self.assertEqual(said.returncode, 0, said.stderr)
            digests.add(self.row()["digest"])
            return self.state(path)

        self.assertEqual(update("newer", "1.1", key), "enabled")
        self.assertEqual(update("another's", "1.2", other), "changed")
        self.assertEqual(update("nobody's", "1.2", None), "changed")
        self.assertEqual(update("newest", "1.2", key), "enabled")
        self.assertEqual(update("older", "1.1", key), "changed")
        self.assertEqual(len(digests), 6)
        self.assertEqual(update("newest again", "1.2", key), "enabled")
        self.assertEqual(self.extctl("publishers", "--revoke", self.fingerprint(key)).returncode, 0)
        self.assertEqual(self.state(path), "blocked")

    # Verifying

    def test_each_signature_is_verified_once(self):
        key, count = self.key(), 12
        for index in range(count):
            self.put(self.signed(self.make_bundle(f"org.example.E{index}"), key))
        bad = self.put(self.signed(self.make_bundle("org.example.Bad"), key))
        (bad / "main.py").write_text("#!/bin/sh\n")
        self.env["EXTENSIOND_SSH_KEYGEN"] = str(self.keygen)
        self.start_broker()
        self.rescan()
        self.assertEqual(sum("publisher" in row for row in self.listed()), count)
        self.assertEqual(self.state(bad), "invalid")
        # A bad one takes two more: one shows that a good one passes, the other that this one still does not.
        self.assertEqual(self.runs(), count + 3)
        self.stop_broker()
        self.start_broker()
        self.rescan()
        self.assertEqual(sum("publisher" in row for row in self.listed()), count)
        self.assertEqual(self.state(bad), "invalid")
        self.assertEqual(self.runs(), count + 3, "the broker before has verified them")
        # Another content, and another key, are another question each.
        (self.root / "E0.appex/new").write_text("x")
        self.env["EXTENSIOND_SSH_KEYGEN"] = "/usr/bin/ssh-keygen"
        self.signed(self.root / "E1.appex", self.key("other"))
        self.rescan()
        self.assertEqual(self.state(self.root / "E0.appex"), "invalid")
        self.assertEqual(self.row("org.example.E1")["publisher"], self.fingerprint(self.place / "other"))
        self.assertEqual(self.runs(), count + 3 + 4)
        shutil.rmtree(self.root / "E2.appex")
        self.rescan()
        self.rescan()
        import sqlite3

        with sqlite3.connect(self.home / ".cache/extensiond/digests.sqlite") as database:
            rows = database.execute("SELECT good FROM signatures ORDER BY good").fetchall()
        database.close()
        self.assertEqual(rows, [(0,)] * 2 + [(1,)] * (count - 2), "what is gone is forgotten")

    def test_where_nothing_can_be_verified_a_signed_bundle_waits(self):
        path = self.put(self.signed(self.make_bundle(), self.key()))
        plain = self.put(self.make_bundle("org.example.Plain"))
        self.env["EXTENSIOND_SSH_KEYGEN"] = str(self.place / "later")
        self.start_broker()
        self.assertEqual((self.state(path), self.state(plain)), ("incompatible", "unapproved"))
        self.assertIn("install openssh-client", self.row()["explanation"])
        self.assertIn("install openssh-client", self.extctl("lint", path).stdout)
        self.assertNotIn("publisher", self.row())
        later = self.place / "later"
        later.write_text("#!/bin/sh\necho No user exists for uid 4242 >&2\nexit 255\n")
        later.chmod(0o755)
        self.rescan()
        self.assertEqual(self.state(path), "incompatible")
        self.assertIn("No user exists for uid 4242", self.row()["explanation"])
        later.unlink()
        later.symlink_to("/usr/bin/ssh-keygen")
        self.rescan()
        self.assertEqual(self.state(path), "unapproved")
        self.assertIn("publisher", self.row())

    def test_verifying_leaves_nothing_open_and_holds_nobody_up(self):
        key = self.key()
        path = self.put(self.signed(self.make_bundle(), key))
        self.start_broker()
        self.rescan()
        # The broker connects to it when it comes.
        self.launcher()
        before = len(os.listdir(f"/proc/{self.broker.pid}/fd"))
        for _ in range(10):
            self.signed(path, self.key(f"key{_}"))
            self.rescan()
            self.assertEqual(self.row()["publisher"], self.fingerprint(self.place / f"key{_}"))
        # A connection that was just closed may still be among them, at either time.
        until(lambda: len(os.listdir(f"/proc/{self.broker.pid}/fd")) <= before, "no more descriptors than before")
        children = children_of(self.broker.pid)
        self.assertNotIn("ssh-keygen", children)
        # While one is being verified, others are answered.
        fifo = self.place / "fifo"
        os.mkfifo(fifo)
        slow = self.place / "slow"
        slow.write_text(f'#!/bin/sh\ncat {fifo}\nexec /usr/bin/ssh-keygen "$@"\n')
        slow.chmod(0o755)
        self.stop_broker()
        self.env["EXTENSIOND_SSH_KEYGEN"] = "/usr/bin/ssh-keygen"
        self.start_broker(EXTENSIOND_SSH_KEYGEN=str(slow))
        self.signed(path, key)
        client = self.admin()
        client.send("Rescan", {"wait": True})
        # It waits for a writer, so this opens when ssh-keygen's stand-in reads.
        writer = os.open(fifo, os.O_WRONLY)
        self.assertEqual(self.ask("Status")["pid"], self.broker.pid)
        os.close(writer)
        client.receive()
        self.assertEqual(self.row()["publisher"], self.fingerprint(key))


def children_of(process):
    said = subprocess.run(["ps", "--ppid", str(process), "-o", "comm="], capture_output=True, text=True).stdout
    return said.split()

"""Policy files: read at the start and when they change; what is wrong with them is reported, and blocks what it names."""

import os
import plistlib
import subprocess

from world import BUILD, VarlinkError, World, until


class Policy(World):
    def setUp(self):
        super().setUp()
        self.policies = self.place / "policy.d"
        self.env["EXTENSIOND_POLICY_PATH"] = str(self.policies)

    def write(self, text, name="50-site.policy"):
        self.policies.mkdir(exist_ok=True)
        path = self.policies / name
        new = self.place / "new"
        new.write_text(text)
        new.chmod(0o644)
        new.rename(path)
        return path

    def gate(self, name, extension="org.example.Ext"):
        return next(g for g in self.ask("Explain", extension=extension)["gates"] if g["name"] == name)

    def test_a_rule_that_comes_later_ends_what_it_blocks_and_lets_go_when_it_goes(self):
        self.ready()
        stream = self.subscribe()
        stream.receive()
        host = self.host()
        self.activate(host)
        path = self.write("\n[Block]\nIdentifier=org.example.*\n")
        until(lambda: self.state(self.root / "Ext.appex") == "blocked", "the rule to count")
        ended = stream.receive()
        while ended.get("activation", {}).get("state") != "deactivated":
            ended = stream.receive()
        self.assertEqual(ended["activation"]["reason"]["kind"], "policy")
        self.assertEqual(ended["activation"]["reason"]["rule"], f"{path}:2")
        with self.assertRaises(VarlinkError) as caught:
            self.activate(self.host())
        self.assertEqual(caught.exception.parameters["state"], "blocked")
        self.assertIn(f"{path}:2", self.gate("policy")["evidence"])
        path.unlink()
        until(lambda: self.state(self.root / "Ext.appex") == "enabled", "the rule to be gone")
        self.activate(self.host())

    def test_a_broken_file_is_reported_with_line_and_column_and_the_rest_works(self):
        self.write("[Block]\nIdentifier=org.example.Ext\n[Restrict]\n Identifer=org.example.Other\n")
        other = self.put(self.make_bundle("org.example.Other"))
        one = self.put(self.make_bundle())
        self.start_broker()
        self.listed()
        warnings = self.ask("Status")["warnings"]
        self.assertTrue(any(f"{self.policies}/50-site.policy:4:2: " in w for w in warnings), warnings)
        # The broken rule names all, so all is closed.
        self.assertEqual((self.state(one), self.state(other)), ("blocked", "blocked"))
        self.write("[Block]\nIdentifier=org.example.Ext\n[Restrict]\nIdentifer=x\nIdentifier=org.other.*\n")
        self.wait_state(other, "unapproved")
        self.assertEqual(self.state(one), "blocked")

    def test_files_are_read_in_the_order_of_their_names_and_the_first_that_fits_counts(self):
        self.write("[Block]\n", "50-all.policy")
        self.write("[Approve]\nPath=/nowhere/*\n[Approve]\nPath=/*\n", "10-some.policy")
        path = self.put(self.make_bundle())
        self.start_broker()
        # Root's own, or whoever runs this: only the former is believed without a publisher.
        rows = self.listed(str(path))
        self.assertEqual(rows[0]["state"], "enabled" if rows[0]["rootOwned"] else "blocked")

    def test_a_file_whose_name_is_no_text_is_read_like_any_other(self):
        self.write("[Block]\nIdentifier=org.example.Ext\n", os.fsdecode(b"\xff.policy"))
        one, other = self.put(self.make_bundle()), self.put(self.make_bundle("org.example.Other"))
        self.start_broker()
        self.assertEqual((self.state(one), self.state(other)), ("blocked", "unapproved"))

    def test_a_file_that_others_can_write_counts_for_what_it_names_only(self):
        path = self.write("[Approve]\nIdentifier=org.example.Ext\n")
        path.chmod(0o666)
        bundle = self.put(self.make_bundle())
        self.start_broker()
        self.assertEqual(self.state(bundle), "blocked")
        self.assertTrue(any("others than root can write it" in w for w in self.ask("Status")["warnings"]))

    def test_what_is_no_file_blocks_all_and_hangs_nobody(self):
        self.policies.mkdir()
        os.mkfifo(self.policies / "a.policy", 0o644)
        bundle = self.put(self.make_bundle())
        self.start_broker()
        self.assertEqual(self.state(bundle), "blocked")
        (self.policies / "a.policy").unlink()
        self.wait_state(bundle, "unapproved")

    def test_what_the_policy_forbids_is_forbidden_to_bundles_that_nobody_approves(self):
        path = self.write("[Restrict]\nForbidEntitlement=home\nForbidEntitlement=none\n")
        self.start_broker()
        for entitlement in ("home", "none"):
            bundle = self.make_bundle(f"org.example.{entitlement}", where=self.place / entitlement)
            (bundle / "Entitlements.plist").write_bytes(plistlib.dumps({entitlement: True}))
            developer = self.admin()
            developer.send("Develop", {"path": str(bundle)}, more=True)
            found = developer.receive()["extensions"]
            self.assertEqual([(one["state"], one["explanation"]) for one in found], [
                ("blocked", f"the policy forbids the entitlement {entitlement}: {path}:1")])
            with self.assertRaises(VarlinkError) as caught:
                self.activate(self.host(), f"org.example.{entitlement}")
            self.assertEqual(caught.exception.parameters["state"], "blocked")
            done = subprocess.run(
                [BUILD / "extensiond", "--ephemeral", bundle.parent, "--", BUILD / "extctl", "list", bundle], env=self.env,
                capture_output=True, text=True, timeout=60)
            self.assertIn("blocked", done.stdout, done.stderr)

    def test_the_policy_can_forbid_developers_bundles(self):
        self.write("[Restrict]\nForbidDevelopment=yes\n")
        self.put(self.make_host())
        self.start_broker()
        developer = self.admin()
        developer.send("Develop", {"path": str(self.make_bundle())}, more=True)
        found = developer.receive()
        self.assertEqual([row["state"] for row in found["extensions"]], ["blocked"])

    def test_where_no_sandbox_can_be_made_only_the_policy_lets_an_extension_run(self):
        self.env["EXTENSIOND_BWRAP"] = "/usr/bin/false"
        self.ready()
        with self.assertRaises(VarlinkError) as caught:
            self.activate(self.host())
        self.assertIn(caught.exception.parameters["reason"]["kind"], ("sandboxFailed", "startFailed"))
        gate = self.gate("sandbox")
        self.assertEqual(gate["result"], "fail")
        self.assertIn("/usr/bin/false makes no sandbox here", gate["evidence"])
        path = self.write("[Restrict]\nIdentifier=org.example.*\nAllowNoSandbox=yes\n")
        until(lambda: f"{path}:1" in self.gate("sandbox")["evidence"], "the rule to count")
        self.ask("Reset", extension="org.example.Ext")
        self.approve("org.example.Ext")
        _, _, connection = self.activate(self.host(), connect=True)
        self.echo(connection)

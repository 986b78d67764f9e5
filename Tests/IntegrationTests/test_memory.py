"""What a broker holds, and what it loads for it."""

import os
import re

from world import World, until


class Memory(World):
    def libraries(self):
        with open(f"/proc/{self.broker.pid}/maps") as file:
            return set(re.findall(r"/(lib[a-z]+)[^/]*\.so", file.read()))

    def test_what_hashes_is_loaded_when_there_is_something_to_hash(self):
        self.root.mkdir(parents=True)
        self.start_broker()
        self.ask("List")
        self.assertNotIn("libcrypto", self.libraries(), "nothing was found")
        path = self.put(self.make_bundle())
        self.wait_state(path, "unapproved")
        self.assertIn("libcrypto", self.libraries())

    def test_without_it_each_bundle_says_what_is_missing_and_the_broker_goes_on(self):
        libraries = self.place / "libraries"
        libraries.mkdir()
        # Found first, and no library at all.
        (libraries / "libcrypto.so.3").write_bytes(b"")
        path = self.put(self.make_bundle())
        self.start_broker(LD_LIBRARY_PATH=str(libraries))
        self.wait_state(path, "invalid")
        why = self.listed()[0]["explanation"]
        self.assertRegex(why, r"no digest can be computed: .*libcrypto\.so\.3: file too short")
        # The administrator has mended it.
        (libraries / "libcrypto.so.3").unlink()
        self.extctl("rescan", "--wait")
        self.assertEqual(self.state(path), "unapproved")

    def test_without_it_a_signature_is_not_read_either(self):
        libraries = self.place / "libraries"
        libraries.mkdir()
        (libraries / "libcrypto.so.3").write_bytes(b"")
        bundle = self.make_bundle()
        (bundle / "_Signature").mkdir()
        (bundle / "_Signature" / "statement.sig").write_text("-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n")
        path = self.put(bundle)
        self.start_broker(LD_LIBRARY_PATH=str(libraries))
        self.wait_state(path, "invalid")

    def test_threads_come_with_the_work_for_them(self):
        for number in range(6):
            (self.place / f"root{number}").mkdir()
        self.start_broker(EXTENSIOND_PATH=":".join(str(self.place / f"root{number}") for number in range(6)))
        self.ask("List")
        # The loop, the database, what reads bundles, what asks roots. More than one asks only while an answer is late.
        until(lambda: len(os.listdir(f"/proc/{self.broker.pid}/task")) == 4, "four threads")

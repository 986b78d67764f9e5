"""What docs/hardening.md says of the units is what systemd-analyze finds."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]


@unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
class Units(unittest.TestCase):
    def exposures(self, unit):
        """The settings that are not made, by the names that the tool gives them."""
        with tempfile.TemporaryDirectory() as place:
            text = (PROJECT / "systemd" / f"{unit}.in").read_text().replace("@libexecdir@", "/usr/libexec")
            file = pathlib.Path(place) / unit
            file.write_text(text)
            found = subprocess.run(
                ["systemd-analyze", "--user", "security", "--offline=true", "--json=short", file],
                env={**os.environ, "XDG_RUNTIME_DIR": place}, capture_output=True, text=True, check=True)
        return {row["json_field"].rstrip(")") for row in json.loads(found.stdout) if row["set"] is False}

    def test_each_exposure_that_remains_is_explained(self):
        page = (PROJECT / "docs/hardening.md").read_text()
        for unit in ("extensiond.service", "extensiond-launcher.service"):
            section = page.split(f"## {unit}")[1].split("\n## ")[0]
            rows = re.findall(r"^\| (\w+(?:, \w+)*) \| ", section, re.MULTILINE)
            explained = {name for row in rows for name in row.split(", ")}
            with self.subTest(unit):
                self.assertEqual(explained, self.exposures(unit))

"""The benchmark, as far as a machine is concerned on which not everything can be measured."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

from world import BUILD, DEADLINE

PROGRAMS = [
    "bench-extension", "bench-peers", "extension-bench", "extension-init", "extensiond", "extensiond-launcher"]


class Bench(unittest.TestCase):
    @staticmethod
    def end(bench):
        """And its broker, where it could not end that itself."""
        if bench.returncode is None:
            children = pathlib.Path(f"/proc/{bench.pid}/task/{bench.pid}/children").read_text().split()
            bench.kill()
            for child in map(int, children):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGTERM)
            bench.communicate()
        shutil.rmtree(f"/tmp/extensiond-bench.{bench.pid}", ignore_errors=True)

    def test_a_peer_that_cannot_run_is_told_and_the_rest_is_measured(self):
        # Away from the package there is nothing that could set up a user manager.
        place = pathlib.Path(tempfile.mkdtemp(prefix="extensiond-test."))
        self.addCleanup(shutil.rmtree, place)
        for program in PROGRAMS:
            shutil.copy(BUILD / program, place)
        bench = subprocess.Popen(
            [place / "extension-bench", "--json", "--rows", "connection.open"], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, bench)
        output, errors = bench.communicate(timeout=DEADLINE)
        self.assertEqual((bench.returncode, errors), (0, ""))
        row = json.loads(output)
        self.assertEqual(row["id"], "connection.open")
        self.assertGreaterEqual(row["p99"], row["p50"])
        self.assertIn("run the bench where it was built", row["absent"]["dbus-broker"])
        self.assertEqual(list(row["peers"]), ["dbus-daemon"])
        compared = {comparison["name"]: comparison for comparison in row["comparisons"]}
        self.assertEqual(set(compared), {"floor", "dbus-daemon"})
        self.assertAlmostEqual(compared["floor"]["value"], row["p50"] / row["floor"], delta=0.1)
        for comparison in compared.values():
            # What is printed is rounded.
            if abs(comparison["value"] - comparison["goal"]) > 0.01:
                self.assertEqual(comparison["met"], comparison["value"] < comparison["goal"])
        self.assertFalse(pathlib.Path(f"/tmp/extensiond-bench.{bench.pid}").exists())


if __name__ == "__main__":
    unittest.main()

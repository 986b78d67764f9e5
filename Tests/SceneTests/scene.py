"""Runs scene-run, the headless host, for the tests of scenes."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("EXTENSIOND_BUILD", HERE.parents[1] / ".build/debug"))
PROTOCOLS = pathlib.Path("/usr/share/wayland-protocols/stable")


class SceneTest(unittest.TestCase):
    """Each test class has a directory of its own, and what it compiles in it."""

    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="scene-"))
        cls.addClassCleanup(shutil.rmtree, cls.directory)

    @classmethod
    def compile(cls, source, *flags, protocols=()):
        """The program made of a file in C and Wayland's protocols."""
        program, files = cls.directory / source.stem, [source]
        for name in protocols:
            description = PROTOCOLS / name / f"{name}.xml"
            header, code = cls.directory / f"{name}-client-protocol.h", cls.directory / f"{name}.c"
            subprocess.run(["wayland-scanner", "client-header", description, header], check=True)
            subprocess.run(["wayland-scanner", "private-code", description, code], check=True)
            files.append(code)
        subprocess.run(["gcc", "-O1", "-Wall", f"-I{cls.directory}", "-o", program, *files, *flags], check=True)
        return program

    def run_scene(self, steps, *command, size="400x300", scale=1):
        """Lets scene-run do the steps with a program. Answers what the program printed; `self.log` is the host's."""
        script = tempfile.NamedTemporaryFile("w", dir=self.directory, suffix=".steps", delete=False)
        with script:
            script.write("\n".join(steps))
        environment = os.environ | {
            "XDG_RUNTIME_DIR": str(self.directory), "NO_AT_BRIDGE": "1", "GTK_A11Y": "none", "LC_ALL": "C.UTF-8",
            "GSETTINGS_BACKEND": "memory", "DBUS_SESSION_BUS_ADDRESS": "disabled:",
            # Toolkits look for themes, settings and caches, which are not this test's.
            "HOME": str(self.directory)}
        done = subprocess.run(
            [BUILD / "scene-run", script.name, size, str(scale), shutil.which(command[0]), *map(str, command[1:])], env=environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=120)
        self.log = done.stderr
        self.assertEqual(done.returncode, 0, f"{done.stderr}\nand the program printed:\n{done.stdout}")
        return done.stdout

    def peak(self):
        """The most memory that the host had, in MiB."""
        return int(re.search(r"VmHWM:\s*(\d+) kB", self.log)[1]) // 1024

"""libextensionkit as `make install` leaves it, in a directory of its own, for the tests of one file."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from world import BUILD

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command, **options):
    """What it prints; it must succeed."""
    ended = subprocess.run(
        [*map(str, command)], **{"cwd": ROOT, **options}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert ended.returncode == 0, f"{command[0]} ended with {ended.returncode}: {ended.stdout}"
    return ended.stdout


class Installed:
    place = None

    @classmethod
    def prefix(cls):
        if not cls.place:
            cls.place = pathlib.Path(tempfile.mkdtemp(prefix="extensiond-test."))
            unittest.addModuleCleanup(cls.remove)
            run("make", "-s", "-f", "systemd/install.mk", "install", f"PROGRAMS={BUILD}", f"PREFIX={cls.place}")
        return cls.place

    @classmethod
    def remove(cls):
        shutil.rmtree(cls.place, ignore_errors=True)
        cls.place = None

    @classmethod
    def environment(cls):
        """With which pkg-config and the dynamic linker find it."""
        return {"PKG_CONFIG_PATH": str(cls.prefix() / "lib/pkgconfig"), "LD_LIBRARY_PATH": str(cls.prefix() / "lib")}

    @classmethod
    def flags(cls, *packages):
        return run("pkg-config", *packages, env={**os.environ, **cls.environment()}).split()

    @classmethod
    def host(cls, *options, packages=()):
        """The program of c-host, as its author builds it."""
        program = cls.prefix() / ("c-host" + "".join(options))
        if not program.exists():
            run("cc", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-D_GNU_SOURCE", *options, "-o", program,
                ROOT / "Tests/IntegrationTests/c-host/host.c", "-pthread",
                *cls.flags("--cflags", "--libs", "extensionkit", *packages), f"-Wl,-rpath,{cls.prefix()}/lib")
        return program

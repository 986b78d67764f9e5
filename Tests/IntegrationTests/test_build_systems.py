"""The examples for Meson, CMake and Cargo, as they are copied: built beside their sources, and used."""

import os
import shutil
import unittest

from installed import ROOT, Installed, run
from world import World


def needs(*programs):
    missing = [program for program in programs if not shutil.which(program)]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


class BuildSystems(World):
    def example(self, name):
        return shutil.copytree(ROOT / "Sources/Examples" / name, self.place / name)

    def build(self, name, *commands):
        directory = self.example(name)
        for command in commands:
            run(*command, cwd=directory, env={**os.environ, **Installed.environment()})
        return directory / "build"

    def use(self, program, *arguments):
        return run(program, *arguments, env={**self.env, **Installed.environment()})

    @needs("meson", "ninja", "cc")
    def test_meson_builds_a_host(self):
        self.ready(info={"CFBundleName": "One"})
        build = self.build("meson", ("meson", "setup", "--werror", "build"), ("meson", "compile", "-C", "build"))
        self.assertEqual(self.use(build / "list-extensions"), "One\n")

    @needs("cmake", "make", "cc")
    def test_cmake_builds_a_host(self):
        self.ready()
        build = self.build("cmake", ("cmake", "-B", "build"), ("cmake", "--build", "build"))
        self.assertEqual(self.use(build / "ask-extension", "org.example.Ext", "hello"), "hello\n")

    @needs("cargo")
    def test_cargo_builds_an_extension(self):
        self.put(self.make_host())
        directory = self.example("cargo")
        run("cargo", "build", "--release", "--offline", cwd=directory, env={**os.environ, "CARGO_TARGET_DIR": "target"})
        shutil.copy(directory / "target/release/shout", directory / "Shout.appex")
        self.put(directory / "Shout.appex")
        self.start_broker()
        self.approve("org.example.Shout")
        self.assertEqual(self.extctl("connect", "org.example.Shout", input="hello\n").stdout, "HELLO\n")

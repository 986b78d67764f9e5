"""What it takes to read an application: as much for each extension inside, however many there are. Counts, not times."""

import os
import pathlib
import plistlib
import re
import shutil
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["EXTENSIOND_BUILD"])

# valgrind does not know openat2(2). What its RESOLVE flags refuse is not in these bundles.
WITHOUT_OPENAT2 = r"""
#include <errno.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <sys/syscall.h>
long syscall(long number, ...) {
  long values[6];
  va_list list;
  va_start(list, number);
  for (int index = 0; index < 6; index++) values[index] = va_arg(list, long);
  va_end(list);
  if (number == SYS_openat2) {
    const struct open_how *how = (void *)values[2];
    number = SYS_openat;
    values[2] = how->flags;
    values[3] = how->mode;
  }
  register long r10 __asm__("r10") = values[3], r8 __asm__("r8") = values[4], r9 __asm__("r9") = values[5];
  long result;
  __asm__ volatile("syscall" : "=a"(result)
                   : "a"(number), "D"(values[0]), "S"(values[1]), "d"(values[2]), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  if (result < 0 && result > -4096) { errno = -result; return -1; }
  return result;
}
"""


@unittest.skipUnless(os.uname().machine == "x86_64", "the stand-in for openat2 is written for x86-64")
@unittest.skipUnless(shutil.which("valgrind") and shutil.which("gcc"), "no valgrind, or no gcc")
class ReadingCostTests(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="extensiond-costs."))
        self.addCleanup(shutil.rmtree, self.place)
        self.program, self.library = self.place / "extctl", self.place / "without-openat2.so"
        # valgrind would read what is for debuggers, which takes it longer than all else.
        subprocess.run(["objcopy", "--strip-debug", BUILD / "extctl", self.program], check=True)
        subprocess.run(
            ["gcc", "-shared", "-fPIC", "-o", self.library, "-x", "c", "-"], input=WITHOUT_OPENAT2.encode(), check=True)

    def application(self, extensions):
        path = self.place / f"{extensions}.app"
        for number in range(extensions):
            inner = path / f"Extensions/E{number}.appex"
            inner.mkdir(parents=True)
            (inner / "Info.plist").write_bytes(plistlib.dumps({
                "CFBundleIdentifier": f"org.example.E{number}", "CFBundleExecutable": "main",
                "EXAppExtensionAttributes": {"EXExtensionPointIdentifier": "org.example.Host.Point"}}))
            (inner / "main").write_text("#!/bin/sh\n")
            (inner / "main").chmod(0o755)
        (path / "Info.plist").write_bytes(plistlib.dumps({"CFBundleIdentifier": "org.example.Host"}))
        return path

    def instructions(self, extensions):
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={self.place}/out", self.program, "lint",
             self.application(extensions)],
            env={**os.environ, "LD_PRELOAD": str(self.library)}, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return int(re.search(r"Collected : (\d+)", done.stderr)[1])

    def test_each_of_many_extensions_takes_as_much_as_each_of_few(self):
        few, more, many = [self.instructions(count) for count in (25, 50, 100)]
        # Twice as many more: 2 where each takes the same, 4 where each looks at all others.
        self.assertLess((many - more) / (more - few), 2.4, [few, more, many])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""The attempts of Tests/Escape with the shipped units, under a real user manager. Run by Tests/Support/run-escape-tests."""
import os
import sys
import unittest

from support import PLACE, install_units, systemctl

install_units()
systemctl("enable", "extensiond.socket")
os.environ |= {"EXTENSIOND_UNITS": "1", "EXTENSIOND_BUILD": str(PLACE / "usr/bin")}
unittest.main(module=None, argv=[sys.argv[0], *(sys.argv[2:] or ("test_escape", "test_floods", "test_replace", "test_outside"))])

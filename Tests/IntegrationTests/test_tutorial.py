"""The pages that a reader follows step by step."""

import os

from installed import ROOT, Installed
from page import PageWorld
from world import BUILD


class Tutorial(PageWorld):
    def test_a_host_and_two_extensions_from_nothing(self):
        # EXTENSIOND_SWIFT_BUILD=1 leaves `swift build` to SwiftPM.
        if os.environ.get("EXTENSIOND_SWIFT_BUILD") != "1":
            self.env["PATH"] = f"{ROOT}/Tests/IntegrationTests/stand-in:{self.env['PATH']}"
            self.env["EXTENSIOND_BUILD"] = str(BUILD)
        self.follow("tutorial.md")
        self.assertEqual(list(self.home.glob("tutorial")), [])


class InsteadOfDlopen(PageWorld):
    def test_the_old_plugins_do_the_same_and_crash_alone(self):
        self.env |= Installed.environment()
        self.follow("instead-of-dlopen.md")

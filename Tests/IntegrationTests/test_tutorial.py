"""docs/tutorial.md, as a reader follows it."""

import os

from page import ROOT, PageWorld


class Tutorial(PageWorld):
    def test_every_step_works(self):
        # EXTENSIOND_SWIFT_BUILD=1 leaves `swift build` to SwiftPM.
        if os.environ.get("EXTENSIOND_SWIFT_BUILD") != "1":
            self.env["PATH"] = f"{ROOT}/Tests/IntegrationTests/stand-in:{self.env['PATH']}"
        self.follow("tutorial.md")
        self.assertEqual(list(self.home.glob("tutorial")), [])

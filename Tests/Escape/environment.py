"""Where the attempts are made: with a broker that the test starts itself, or with the shipped units under a real
`systemd --user`, which Tests/SystemdTests/escape_test.py has installed."""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "IntegrationTests"))
from world import BUILD, World, until  # noqa: E402

UNITS = ("extensiond.socket", "extensiond.service", "extensiond-launcher.service")


def systemctl(*arguments):
    done = subprocess.run(["systemctl", "--user", *arguments], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"systemctl {' '.join(arguments)}: {done.stderr}")
    return done.stdout.strip()


class ByHand(World):
    """No control groups: limits are those of processes."""

    controllers = frozenset()
    manager = "by hand"

    def end_broker(self):
        self.kill_broker()

    def program(self, name):
        return BUILD / name

    def journal(self):
        """Nobody reads a journal here."""


class UnderManager(World):
    """The broker's home is the user's; each test begins with an empty one."""

    # How the launcher's unit got them decides what holds an instance.
    controllers = frozenset()
    manager = "systemd --user"

    def setUp(self):
        super().setUp()
        self.home, self.run_directory = (pathlib.Path(os.environ[name]) for name in ("HOME", "XDG_RUNTIME_DIR"))
        for name in (".local", ".cache", ".ssh"):
            shutil.rmtree(self.home / name, ignore_errors=True)
        self.root = self.home / ".local/share/extensiond"
        self.root.mkdir(parents=True)
        self.env |= {"HOME": str(self.home), "XDG_RUNTIME_DIR": str(self.run_directory)}

    def start_broker(self):
        # The programs of the units have the manager's.
        names = [name for name in self.env if name.startswith("EXTENSIOND_") or name == "XDG_DATA_DIRS"]
        systemctl("set-environment", *(f"{name}={self.env[name]}" for name in names))
        self.addCleanup(systemctl, "unset-environment", *names)
        # So many starts in so short a time are meant.
        systemctl("reset-failed", *UNITS)
        systemctl("start", *UNITS[:2])
        until(lambda: self.ask("Status").get("launcherPid"), "the launcher")

    def stop_broker(self):
        systemctl("stop", *UNITS)

    end_broker = stop_broker

    def program(self, name):
        return BUILD / name if name == "extctl" else BUILD.parent / "libexec" / name

    def journal(self):
        """All that the extension's lines are in the journal."""
        return subprocess.run(
            ["journalctl", "-q", "-o", "cat", "EXTENSION=org.example.Ext"], capture_output=True, text=True,
            timeout=60, check=True).stdout.splitlines()


def controllers_of_units():
    group = systemctl("show", "-P", "ControlGroup", "extensiond-launcher.service").lstrip("/")
    return frozenset((pathlib.Path("/sys/fs/cgroup") / group / "cgroup.subtree_control").read_text().split())


IS_UNDER_MANAGER = "EXTENSIOND_UNITS" in os.environ
if IS_UNDER_MANAGER:
    # What the tests make must be on one file system with the home.
    os.environ["TMPDIR"] = os.environ["HOME"]
    systemctl("start", *UNITS)
    UnderManager.controllers = controllers_of_units()
    systemctl("stop", *UNITS)
Place = UnderManager if IS_UNDER_MANAGER else ByHand


def described():
    user = "root" if os.getuid() == 0 else f"user {os.getuid()}"
    controllers = " with " + ", ".join(sorted(Place.controllers)) if Place.controllers else ""
    return f"{user}, {Place.manager}{controllers}"


def tell(what, outcome):
    """The one line of an attempt."""
    print(f"[{described()}] {what}: {outcome}", flush=True)

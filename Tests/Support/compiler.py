"""Runs the compiler as a user of the SDK does: against the modules that `swift build` has left behind."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("EXTENSIOND_BUILD") or ROOT / ".build/debug")


def search(*folders):
    """The options with which the SDK's modules are found, and those in the folders."""
    maps = [BUILD / f"{name}.build/module.modulemap" for name in ("CLinux", "CMainQueue")]
    options = [f"-fmodule-map-file={path}" for path in maps]
    return [part for folder in (*folders, BUILD / "Modules") for part in ("-I", str(folder))] + [
        part for option in options for part in ("-Xcc", option)]


def gtk():
    """The options with which GTK's module and that of its contents are found, and what a program is linked with for them."""
    flags = subprocess.run(["pkg-config", "--cflags-only-I", "gtk4"], stdout=subprocess.PIPE, text=True, check=True).stdout
    own = [f"-fmodule-map-file={BUILD / name}.build/module.modulemap"
           for name in ("CSceneClient", "CSceneCompositor", "CSceneView")]
    # What the view's Swift stands on, also where nobody sees it.
    below = [part for name in ("CKeyboard", "CKeyboardX11", "CWaylandServer") for part in ("-I", ROOT / "Sources" / name)]
    found = ["-I", ROOT / "Sources/CGTK", *below, *(part for flag in [*own, *flags.split()] for part in ("-Xcc", flag))]
    libraries = subprocess.run(
        ["pkg-config", "--libs", "gtk4", "wayland-client"], stdout=subprocess.PIPE, text=True, check=True).stdout
    # What a plugin makes of C is put elsewhere; a copy of an older build may lie there.
    made = max((BUILD / "plugins/outputs").glob("*/CSceneClient/**/*.o"), key=lambda path: path.stat().st_mtime)
    return found, [*objects("ExtensionKit", "ExtensionKitGTKContent", "CSceneClient"), made, *libraries.split()]


SDK = ("CLinux", "CMainQueue", "LinuxSystem", "Varlink", "ExtensionInterfaces", "ExtensionFoundation")


def objects(*modules):
    """What a program that uses ExtensionFoundation, or these modules, is linked with. Files whose source is gone may lie
    there still."""
    found = []
    for name in modules or SDK:
        places = [ROOT / "Sources" / name, *(ROOT / ".build/plugins/outputs").glob(f"*/{name}")]
        sources = {source.name for place in places for source in place.rglob("*.*")}
        found += [path for path in (BUILD / f"{name}.build").rglob("*.o") if path.stem in sources]
    return found


def swiftc(*arguments, directory=None):
    """What the compiler says; empty where it is content."""
    run = subprocess.run(["swiftc", *map(str, arguments)], cwd=directory, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
    return run.stdout or ("" if run.returncode == 0 else f"swiftc ended with {run.returncode}")


def generate(output, *files, purpose="--sdk"):
    """Has varlink-generate make Swift of the files, and returns it."""
    output.mkdir(parents=True, exist_ok=True)
    options = [purpose] if purpose else []
    subprocess.run([BUILD / "varlink-generate", *options, "--output", output, *files], check=True)
    return sorted(output.glob("*.swift"))

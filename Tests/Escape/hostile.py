#!/usr/bin/python3
# What a hostile extension tries before it behaves. FACTS, put in by the test, says where things are outside.
import ctypes, errno, json, mmap, os, signal, socket, sys

FACTS = %(facts)r
libc = ctypes.CDLL(None, use_errno=True)
outcomes, kept = [], []


def attempt(what, function):
    try:
        value = function()
        outcome = "done" if value is None else str(value)
    except OSError as error:
        outcome = errno.errorcode[error.errno]
    outcomes.append([what, outcome])


def call(number, *arguments):
    def run():
        result = libc.syscall(ctypes.c_long(number), *[a if isinstance(a, bytes) else ctypes.c_long(a) for a in arguments])
        if result < 0:
            raise OSError(ctypes.get_errno(), "")
    return run


def opened(path, mode="rb"):
    return lambda: open(path, mode).close()


def connected(address, family=socket.AF_UNIX):
    def run():
        with socket.socket(family) as s:
            s.settimeout(2)
            s.connect(address)
    return run


def datagram():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.sendto(b"out", ("127.0.0.1", FACTS["udp"]))


def filled(path):
    def run():
        try:
            with open(path, "wb", buffering=0) as file:
                while True:
                    file.write(bytes(1 << 20))
        finally:
            os.unlink(path)
    return run


def large():
    with open(os.environ["HOME"] + "/large", "wb") as file:
        file.truncate(3 << 30)


def told(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.sendto(b"MESSAGE=out", path)


def bomb():
    children = []
    try:
        for _ in range(300):
            children.append(os.fork())
            if children[-1] == 0:
                signal.pause()
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def survivor():
    """It has left by a second fork and a session of its own, and keeps the control socket."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv("/usr/bin/sleep", [FACTS["survivor"], "1000"])
        os._exit(0)


def listening():
    s = socket.socket(socket.AF_UNIX)
    kept.append(s)
    s.bind(os.environ["HOME"] + "/listening")
    s.listen()


attempt("read ~/.ssh by its path", opened(FACTS["secret"]))
attempt("read /etc/passwd", opened("/etc/passwd"))
attempt("read the person's home directory", lambda: os.listdir(FACTS["home"]))
attempt("leave the container by ..", opened(os.environ["HOME"] + "/../../../.." + FACTS["secret"]))
os.symlink(FACTS["secret"], os.environ["HOME"] + "/link")
attempt("read through a symbolic link in the container", opened(os.environ["HOME"] + "/link"))
attempt("read through /proc/1/root", opened("/proc/1/root" + FACTS["secret"]))
attempt("write into the person's home directory", opened(FACTS["home"] + "/x", "wb"))
attempt("write into another's container", opened(FACTS["other"] + "/x", "wb"))
attempt("write beside the container by ..", opened(os.environ["HOME"] + "/../x", "wb"))
attempt("write into /usr", opened("/usr/x", "wb"))
attempt("write into the root directory", opened("/x", "wb"))
attempt("write into /dev", opened("/dev/x", "wb"))
attempt("change its own bundle", opened("/extension/main.py", "ab"))
attempt("rename its own program", lambda: os.rename("/extension/main.py", "/extension/other.py"))
attempt("change the mode of its own program", lambda: os.chmod("/extension/main.py", 0o777))
attempt("link to its own program from the container",
        lambda: os.link("/extension/main.py", os.environ["HOME"] + "/program"))
attempt("mount over its own program", call(165, b"/tmp", b"/extension", b"", 4096, 0))
attempt("change a kernel setting", opened("/proc/sys/kernel/core_pattern", "wb"))
attempt("open the machine's memory", opened("/dev/mem"))
attempt("open the terminal", opened("/dev/tty"))
attempt("connect to the broker", connected(FACTS["broker"]))
attempt("connect to the administration", connected(FACTS["admin"]))
attempt("connect to the launcher", connected(FACTS["launcher"]))
attempt("connect to the session bus", connected(FACTS["bus"]))
attempt("connect to the service manager", connected(FACTS["manager"]))
attempt("write to the journal", lambda: told("/run/systemd/journal/socket"))
attempt("connect to an abstract socket", connected("\0" + FACTS["abstract"]))
attempt("connect to a port of the machine", connected(("127.0.0.1", FACTS["tcp"]), socket.AF_INET))
attempt("connect to the world", connected(("192.0.2.1", 80), socket.AF_INET))
attempt("send a datagram to the machine", datagram)
attempt("make a raw socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close())
attempt("make a packet socket", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0).close())
attempt("make a socket to the hypervisor", lambda: socket.socket(socket.AF_VSOCK).close())
attempt("signal the host", lambda: os.kill(FACTS["host"], 0))
attempt("signal everybody", lambda: os.kill(-1, 0))
attempt("see other processes", lambda: len([n for n in os.listdir("/proc") if n.isdigit()]))
attempt("trace the first process", call(101, 16, 1, 0, 0))
attempt("trace the host", call(101, 16, FACTS["host"], 0, 0))
attempt("read another process's memory", call(310, 1, 0, 0, 0, 0, 0))
attempt("load a key", call(248, b"user", b"escape", b"x", 1, -3))
attempt("ask for a key", call(249, b"user", b"escape", 0, -3))
attempt("reach the session's keys", call(250, 0, -3, 0))
attempt("make a user name space", call(272, 0x10000000))
attempt("make a user name space by clone", call(56, 0x10000000 | 17, 0, 0, 0, 0))
attempt("mount", call(165, b"none", b"/tmp", b"tmpfs", 0, 0))
attempt("change the root", call(155, b"/tmp", b"/tmp"))
attempt("load a BPF program", call(321, 5, 0, 0))
attempt("start io_uring", call(425, 1, 0))
attempt("handle page faults of its own", call(323, 0))
attempt("fill /tmp", filled("/tmp/x"))
attempt("fill /run", filled("/run/x"))
attempt("fill /dev/shm", filled("/dev/shm/x"))
attempt("take more memory than it may", lambda: kept.append(mmap.mmap(-1, 3 << 30, flags=mmap.MAP_PRIVATE)))
attempt("write a file larger than it may be", large)
attempt("open files without end", lambda: kept.extend(open("/dev/null") for _ in range(1 << 20)))
kept.clear()
attempt("fork without end", bomb)
attempt("leave a process behind", survivor)
attempt("listen in the container", listening)
for number in range(20000):
    print("noise", number, file=sys.stderr)
attempt("drown the logs", lambda: None)
with open(os.environ["HOME"] + "/outcomes", "w") as file:
    json.dump(outcomes, file)

%(rest)s

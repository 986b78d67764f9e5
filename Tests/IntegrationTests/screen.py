"""A terminal for tests: a program under a pty, and what a person sees of it. It understands what terminfo says of vt100."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

from world import DEADLINE

SEQUENCE = re.compile(rb"\x1b(?:\[([?0-9;]*)([@-~])|[()][AB0]|[=>78M])")
UNFINISHED = re.compile(rb"\x1b(?:\[[?0-9;]*|[()])?$")


class Screen:
    def __init__(self, command, env, width=80, height=24, deadline=DEADLINE):
        self.deadline = deadline
        self.main, self.terminal = pty.openpty()
        self.before = termios.tcgetattr(self.terminal)
        self.pending, self.raw = b"", b""
        self.resize(width, height, tell=False)
        self.process = subprocess.Popen(
            command, env={**env, "TERM": env.get("TERM", "vt100")}, stdin=self.terminal, stdout=self.terminal,
            stderr=self.terminal, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.main)
        os.close(self.terminal)

    def resize(self, width, height, tell=True):
        self.width, self.height = width, height
        self.rows = [[" "] * width for _ in range(height)]
        self.row = self.column = 0
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def type(self, text):
        os.write(self.main, text.encode())

    @property
    def text(self):
        return "\n".join("".join(row).rstrip() for row in self.rows)

    def wait(self, condition, what):
        """Reads until what is seen meets the condition, a text or a function."""
        if isinstance(condition, str):
            wanted = condition
            condition = lambda text: wanted in text
        end = time.monotonic() + self.deadline
        while not condition(self.text):
            left = max(0, end - time.monotonic())
            if not select.select([self.main], [], [], left)[0]:
                raise AssertionError(f"{what} was not seen, but:\n{self.text}\n{self.raw[-300:]}")
            self.feed(os.read(self.main, 65536))

    def wait_end(self):
        """The exit status, and everything that was written to the end."""
        end = time.monotonic() + self.deadline
        while self.process.poll() is None:
            if time.monotonic() > end:
                raise AssertionError(f"it did not end:\n{self.text}")
            if select.select([self.main], [], [], 0.05)[0]:
                self.feed(os.read(self.main, 65536))
        while select.select([self.main], [], [], 0)[0]:
            self.feed(os.read(self.main, 65536))
        return self.process.returncode

    @property
    def is_restored(self):
        """Line by line, with echo, as it was."""
        return termios.tcgetattr(self.terminal)[:4] == self.before[:4]

    # What comes

    def feed(self, data):
        self.raw += data
        data = self.pending + data
        unfinished = UNFINISHED.search(data)
        self.pending = unfinished.group() if unfinished else b""
        data = data[:len(data) - len(self.pending)]
        while data:
            match = SEQUENCE.match(data)
            if match:
                self.obey(match.group(1), match.group(2))
                data = data[match.end():]
                continue
            end = data.find(b"\x1b", 1)
            part, data = (data, b"") if end < 0 else (data[:end], data[end:])
            try:
                text = part.decode()
            except UnicodeDecodeError as error:
                if data or error.end < len(part):
                    raise
                self.pending, text = part[error.start:], part[:error.start].decode()
            for character in text:
                self.put(character)

    def obey(self, parameters, kind):
        if kind is None or (parameters or b"").startswith(b"?"):
            return
        numbers = [int(number) for number in parameters.split(b";") if number]
        first = numbers[0] if numbers else 0
        if kind in b"Hf":
            self.row, self.column = max(1, first) - 1, (numbers[1] if len(numbers) > 1 else 1) - 1
        elif kind == b"A":
            self.row -= max(1, first)
        elif kind == b"B":
            self.row += max(1, first)
        elif kind == b"C":
            self.column += max(1, first)
        elif kind == b"D":
            self.column -= max(1, first)
        elif kind == b"K":
            start, end = {0: (self.column, self.width), 1: (0, self.column + 1)}.get(first, (0, self.width))
            self.rows[self.row][start:end] = [" "] * (end - start)
        elif kind == b"J":
            self.rows[self.row][self.column:] = [" "] * (self.width - self.column)
            for row in range(self.row + 1, self.height):
                self.rows[row] = [" "] * self.width
        elif kind not in b"mr":
            raise AssertionError(f"an unknown sequence: {parameters} {kind}")

    def put(self, character):
        if character == "\n":
            if self.row == self.height - 1:
                self.rows = self.rows[1:] + [[" "] * self.width]
            self.row = min(self.row + 1, self.height - 1)
        elif character == "\r":
            self.column = 0
        elif character == "\b":
            self.column -= 1
        elif character >= " ":
            if self.column >= self.width:
                self.column = 0
                self.put("\n")
            self.rows[self.row][self.column] = character
            self.column += 1

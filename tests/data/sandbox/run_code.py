"""Run the payload as Python code, with ``fds`` in its globals; a first line ``#early`` forgets to consult."""


def main(payload, fds):
    if not payload.startswith(b"#early"):
        consult()
    exec(compile(payload, "<candidate>", "exec"), {"__name__": "__main__", "fds": fds})

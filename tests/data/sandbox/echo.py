"""Send the payload back on the first descriptor, twice what came in on it."""

import socket


def main(payload, fds):
    with socket.socket(fileno=fds[0]) as peer:
        peer.sendall(payload + 2 * peer.recv(100))

"""Length-prefixed frames over one end of a stream socket; blocking, one reader and one writer.

A frame is four bytes of length (big endian) and that many bytes. The length is checked against the
cap before the body is read. Plain descriptors are used, not socket objects: inside a fork, whatever
memory is touched for the first time must be copied, and socket objects touch much of it.
"""

import fcntl
import os
import struct
import termios

from posttrain.verify.programs.frame import MAX_FRAME_BYTES, MalformedError

__all__ = ["LOAD_ID", "Channel", "GoneError"]

LOAD_ID = 0
"""Id of the frame that reports how loading went; calls have larger ones."""

_HEADER_BYTES = 4
_READ_BYTES = 65536
_LARGE_READ_BYTES = 1 << 20
_INT = struct.Struct("i")


class GoneError(ConnectionError):
    """The other end is closed."""


class Channel:
    """One end of a socket pair; owns the descriptor."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._buffer = b""

    def send(self, data: bytes) -> None:
        """Send one frame; raises ``GoneError`` when nobody can receive it."""
        frame = len(data).to_bytes(_HEADER_BYTES, "big") + data
        try:
            sent = os.write(self._fd, frame)
            while sent < len(frame):
                sent += os.write(self._fd, memoryview(frame)[sent:])
        except (BrokenPipeError, ConnectionResetError) as error:
            raise GoneError(str(error)) from None

    def receive(self) -> bytes:
        """The next frame.

        Raises:
            GoneError: the other end closed; what it had begun to send is dropped.
            MalformedError: the announced length is over the cap.
            BlockingIOError: the socket has a receive time-out, and it passed.
        """
        while len(self._buffer) < _HEADER_BYTES:
            self._buffer += self._read(_READ_BYTES)
        length = int.from_bytes(self._buffer[:_HEADER_BYTES], "big")
        if length > MAX_FRAME_BYTES:
            raise MalformedError(f"a frame announced with {length} bytes")
        end = _HEADER_BYTES + length
        missing = end - len(self._buffer)
        if missing > 0:
            parts = [self._buffer]
            while missing > 0:
                parts.append(self._read(min(missing, _LARGE_READ_BYTES)))
                missing -= len(parts[-1])
            self._buffer = b"".join(parts)
        frame = self._buffer[_HEADER_BYTES:end]
        self._buffer = self._buffer[end:]
        return frame

    def has_surplus(self) -> bool:
        """True when bytes have arrived that no ``receive`` has taken; does not wait."""
        waiting = fcntl.ioctl(self._fd, termios.FIONREAD, bytes(_INT.size))
        return bool(self._buffer) or _INT.unpack(waiting)[0] > 0

    def close(self) -> None:
        """Close the descriptor, which ends the stream for the other end; idempotent."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _read(self, num_bytes: int) -> bytes:
        try:
            data = os.read(self._fd, num_bytes)
        except ConnectionResetError as error:
            raise GoneError(str(error)) from None
        if not data:
            raise GoneError("the other end closed")
        return data

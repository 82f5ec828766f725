"""Length-prefixed frames over a stream socket; blocking, one reader and one writer an end.

A frame is four bytes of length (big endian) and that many bytes. The length is checked against the
cap before the body is read.
"""

import socket

from posttrain.verify.programs.frame import MAX_FRAME_BYTES, MalformedError

__all__ = ["LOAD_ID", "Channel", "GoneError"]

LOAD_ID = 0
"""Id of the frame that reports how loading went; calls have larger ones."""

_HEADER_BYTES = 4
_READ_BYTES = 65536


class GoneError(ConnectionError):
    """The other end is closed."""


class Channel:
    """One end of a socket pair; owns the socket."""

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self._buffer = b""

    def send(self, data: bytes) -> None:
        """Send one frame; raises ``GoneError`` when nobody can receive it."""
        try:
            self._socket.sendall(len(data).to_bytes(_HEADER_BYTES, "big") + data)
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
            self._fill(_READ_BYTES)
        length = int.from_bytes(self._buffer[:_HEADER_BYTES], "big")
        if length > MAX_FRAME_BYTES:
            raise MalformedError(f"a frame announced with {length} bytes")
        end = _HEADER_BYTES + length
        if len(self._buffer) < end:
            self._fill_to(end)
        frame = self._buffer[_HEADER_BYTES:end]
        self._buffer = self._buffer[end:]
        return frame

    def has_surplus(self) -> bool:
        """True when bytes have arrived that no ``receive`` has taken; does not wait."""
        if self._buffer:
            return True
        try:
            self._buffer = self._socket.recv(1, socket.MSG_DONTWAIT)
        except (BlockingIOError, ConnectionResetError):
            return False
        return bool(self._buffer)

    def end_sending(self) -> None:
        """Let the other end read the end of the stream; receiving goes on."""
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def close(self) -> None:
        """Close the socket; idempotent."""
        self._socket.close()

    def _fill(self, num_bytes: int) -> None:
        try:
            data = self._socket.recv(num_bytes)
        except ConnectionResetError as error:
            raise GoneError(str(error)) from None
        if not data:
            raise GoneError("the other end closed")
        self._buffer += data

    def _fill_to(self, end: int) -> None:
        parts = [self._buffer]
        missing = end - len(self._buffer)
        while missing > 0:
            self._buffer = b""
            self._fill(min(missing, 1 << 20))
            parts.append(self._buffer)
            missing -= len(self._buffer)
        self._buffer = b"".join(parts)

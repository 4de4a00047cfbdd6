"""The socket file: whose it is, who may connect, and who takes it away.

While a daemon claims an endpoint it locks the folder, so that two that start at once cannot take
each other's socket for a dead one's. The socket is made with its final mode: there is no moment
in which another user could connect.

Source: the protocol sheet, section 1.2.
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from talebearer.errors import EndpointUnusable

ADDRESS_BYTES_MAX = 107
"""Longest path that a socket's address can hold on Linux; a little less elsewhere."""
BACKLOG = 1_024
"""Connections that may wait to be accepted: more than are served, so that the others are told."""
_FOLDER_MODE = 0o700
_SOCKET_UMASK = 0o177
_PROBE_SECONDS = 2.0
_OTHERS_WRITE = 0o022


class Endpoint:
    """A listening socket and its file.

    Attributes:
        path: The file.
        listener: The socket; it listens already.
    """

    def __init__(self, path: Path) -> None:
        """Claim *path*: make its folder, put a dead socket's file away, and listen.

        Raises:
            EndpointUnusable: Somebody listens there, it is no socket, its folder is open to
                others, its path is too long, or the file system refuses (TB230).
        """
        self.path = path
        if len(os.fsencode(path)) > ADDRESS_BYTES_MAX:
            raise _unusable(
                path, f"its path has more than {ADDRESS_BYTES_MAX} bytes", hint="use a shorter one"
            )
        try:
            _prepare_folder(path.parent)
            with _locked(path.parent):
                _clear(path)
                self.listener = _listen(path)
            found = path.lstat()
        except OSError as error:
            raise _unusable(path, error.strerror or str(error)) from error
        self._identity = (found.st_dev, found.st_ino)

    def remove(self) -> None:
        """Close the socket, and remove its file if that is still ours."""
        self.listener.close()
        try:
            with _locked(self.path.parent):
                found = self.path.lstat()
                if (found.st_dev, found.st_ino) == self._identity:
                    self.path.unlink()
        except OSError:
            # Somebody has taken it away already, which was all that was left to do.
            return


def _unusable(path: Path, why: str, *, hint: str = "") -> EndpointUnusable:
    return EndpointUnusable(f"the endpoint {path}: {why}", hint=hint, data={"path": str(path)})


def _prepare_folder(folder: Path) -> None:
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(mode=_FOLDER_MODE, exist_ok=True)
        one.chmod(_FOLDER_MODE)
    mode = folder.stat().st_mode
    if mode & _OTHERS_WRITE and not mode & stat.S_ISVTX:
        raise _unusable(
            folder, "others may replace files in this folder", hint=f"chmod 700 {folder}"
        )


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _clear(path: Path) -> None:
    """Put a dead socket's file away; anything else that stands there is left alone."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise _unusable(path, "there is a file that is no socket", hint="choose another endpoint")
    if _somebody_listens(path):
        raise _unusable(
            path, "a daemon is already listening", hint="stop it with `talebearer stop`"
        )
    path.unlink()


def _somebody_listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_PROBE_SECONDS)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except (TimeoutError, BlockingIOError):
            # Its queue is full: there is somebody, who is busy.
            return True
        except OSError as error:
            if error.errno == errno.EAGAIN:
                return True
            raise
    return True


def _listen(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(_SOCKET_UMASK)
    try:
        listener.bind(str(path))
        listener.listen(BACKLOG)
        listener.setblocking(False)
    except BaseException:
        listener.close()
        raise
    finally:
        os.umask(before)
    return listener

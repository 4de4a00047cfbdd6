"""The wire's client, blocking and asyncio: typed calls, uploads and downloads, feeds that resume.

Both clients drive the same core without sockets: :mod:`talebearer.client._core` turns requests
into bytes and bytes into messages, `_calls` holds what each method takes and gives, `_follow` a
feed's place. This package needs nothing else of the project but the vocabulary and the errors.
"""

from talebearer.client._asyncio import AsyncClient, AsyncFollower
from talebearer.client._blocking import Client, Follower
from talebearer.client._calls import Create, Delete, Mutation, Result, Update, Upload
from talebearer.client._follow import Retry
from talebearer.client._types import (
    Change,
    Download,
    EntityRef,
    EntityVersion,
    Hit,
    Page,
    ReadResult,
    ServerInfo,
    Status,
)

__all__ = [
    "AsyncClient",
    "AsyncFollower",
    "Change",
    "Client",
    "Create",
    "Delete",
    "Download",
    "EntityRef",
    "EntityVersion",
    "Follower",
    "Hit",
    "Mutation",
    "Page",
    "ReadResult",
    "Result",
    "Retry",
    "ServerInfo",
    "Status",
    "Update",
    "Upload",
]

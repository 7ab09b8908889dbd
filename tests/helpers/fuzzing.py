"""Malformed requests to the viewer: what a page would never send, by socket and by HTTP."""

from __future__ import annotations

import base64
import json
import random
import socket
import struct
from contextlib import suppress
from typing import Any

from websockets.sync.client import connect

WORDS: tuple[Any, ...] = (
    *("open", "file", "stage", "look", "step", "back", "goto", "run", "activate", "fault"),
    *("what_if", "moves", "survey", "space_time", "save", "catalogue", "nothing", 7, None),
)
KEYS = (
    *("run", "name", "content", "activations", "rounds", "unit", "round", "position", "until"),
    *("phase", "milliseconds", "particle", "coins", "first", "schedule", "known", "every"),
    *("shape", "seed", "options", "kind", "by_hand_from", "shape_seed", "do"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 3, 1.5, -0.0, 1e308, 10**30, 2**63, "", "7", "round", "crash", "line:3"),
    *("hexagon:2", "hexagon:-1", "hexagon:+5000", "hexagon:5_000", "hexagon:", ":", "run.json"),
    *("x" * 99, "\0", "\ud800", "../../etc/passwd", "a.png", "a.txt", "{}", "é" * 40),
)


def nonsense(chance: random.Random, depth: int = 3) -> Any:
    """Return something that JSON can hold."""
    kind = chance.randrange(8)
    if depth and kind == 0:
        return [nonsense(chance, depth - 1) for _ in range(chance.randrange(4))]
    if depth and kind == 1:
        return {chance.choice(KEYS): nonsense(chance, depth - 1) for _ in range(3)}
    return chance.choice(VALUES)


def request(chance: random.Random) -> dict[str, Any]:
    """Return a request with values that it cannot have, most of the time; one that is quick."""
    found = {chance.choice(KEYS): nonsense(chance) for _ in range(chance.randrange(4))}
    return {"do": chance.choice(WORDS)} | found | {"milliseconds": 1}


def message(chance: random.Random) -> str | bytes:
    """Return a message on an open socket: a malformed request, or no request at all."""
    text = json.dumps(request(chance))
    match chance.randrange(8):
        case 0:
            return text[: chance.randrange(len(text))]
        case 1:
            at = chance.randrange(len(text))
            return text[:at] + chr(chance.randrange(1, 0xD800)) + text[at + 1 :]
        case 2:
            return chance.randbytes(chance.randrange(200))
        case 3:
            return chance.choice(["[" * 20_000, '{"a":' * 5_000, "9" * 5_000, "NaN", '"\\ud800"'])
        case _:
            return text


METHODS = (b"GET", b"POST", b"HEAD", b"PUT", b"get", b"\x00", b"PRI", b"CONNECT", b"G" * 9000)
PATHS = (
    *(b"/", b"/live", b"/static/page.js", b"/static/../server.py", b"/static/%2e%2e%2fserver.py"),
    *(b"//etc/passwd", b"*", b"http://example.org/", b"/static/\x00", b"/%ff%fe", b"", b"/static"),
    *(b"/static/" + b"a/" * 400, b"/?" + b"a" * 9000, b"/live?x=1"),
)
VERSIONS = (b"HTTP/1.1", b"HTTP/1.0", b"HTTP/2.0", b"HTTP/9", b"", b"http/1.1")
HEADERS = (
    *(b"Host: 127.0.0.1", b"Host: example.org", b"Host:", b"Host: [::1", b"Host: \xff\xfe:1"),
    *(b"Origin: http://example.org", b"Origin: null", b"Content-Length: -1", b"Content-Length: 99"),
    *(b"Content-Length: 99999999999999999999", b"Transfer-Encoding: chunked", b" folded"),
    *(b"Range: bytes=5-1,-3,99999-", b"Range: bytes=a-b", b"Connection: Upgrade", b": empty"),
    *(b"Expect: 100-continue", b"Upgrade: websocket", b"Upgrade: h2c"),
    *(b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Version: 99"),
    *(b"Sec-WebSocket-Key: short", b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", b"no colon"),
    *(b"X: " + b"x" * 70_000, b"If-None-Match: *", b"If-Modified-Since: \xff"),
    b"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=99",
)


def exchange(chance: random.Random, host: str) -> bytes:
    """Return the bytes of a connection: malformed HTTP, or a socket whose frames are malformed."""
    if chance.randrange(3) == 0:
        return handshake(host) + b"".join(frame(chance) for _ in range(chance.randrange(1, 4)))
    line = b" ".join(map(chance.choice, (METHODS, PATHS, VERSIONS)))
    own = [b"Host: " + host.encode()] if chance.randrange(3) else []
    fields = own + [chance.choice(HEADERS) for _ in range(chance.randrange(5))]
    text = b"\r\n".join([line, *fields, b"", chance.randbytes(chance.randrange(60))])
    return text[: chance.randrange(len(text))] if chance.randrange(4) == 0 else text


def handshake(host: str) -> bytes:
    """Return how a page opens its socket."""
    key = base64.b64encode(b"sixteen bytes !!").decode()
    return (
        f"GET /live HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
    ).encode()


def frame(chance: random.Random) -> bytes:
    """Return a frame with any opcode and flags, a length that may be wrong, and any content."""
    content = chance.randbytes(chance.randrange(120))
    first = chance.randrange(256)
    masked = 0x80 if chance.randrange(4) else 0
    kind = chance.randrange(4)
    if kind == 0:
        told = chance.choice([2**63, 2**40, len(content)])
        length = bytes([masked | 127]) + struct.pack(">Q", told)
    elif kind == 1:
        told = chance.choice([0, 65_535, len(content)])
        length = bytes([masked | 126]) + struct.pack(">H", told)
    else:
        length = bytes([masked | min(125, len(content))])
    return bytes([first]) + length + (chance.randbytes(4) if masked else b"") + content


#: Messages that are sent on one socket before another one is opened.
BATCH = 60


def attack(address: str, requests: int, seed: int) -> None:
    """Send N malformed requests, a quarter of them as connections of their own."""
    chance, sent = random.Random(seed), 0
    while sent < requests:
        now = min(BATCH, requests - sent)
        alone = -(-now // 4)
        for _ in range(alone):
            send_alone(address, exchange(chance, address))
        converse(address, [message(chance) for _ in range(now - alone)])
        sent += now


def send_alone(address: str, content: bytes) -> None:
    """Send what a connection consists of, and wait until the server has ended it."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), 60) as opened, suppress(ConnectionError):
        opened.sendall(content)
        opened.shutdown(socket.SHUT_WR)
        while opened.recv(1 << 16):
            pass


def converse(address: str, messages: list[str | bytes]) -> None:
    """Send messages on a socket; each gets one answer."""
    with connect(f"ws://{address}/live", max_size=None) as opened:
        for one in messages:
            opened.send(one)
        for one in messages:
            answer = opened.recv(timeout=120)
            if isinstance(answer, str) and (told := json.loads(answer))["kind"] == "error":
                check(told["message"], one)


def check(told: str, asked: object) -> None:
    """See that an error is a sentence for the reader: short, and nothing of the program's own."""
    assert "Error" not in told, asked
    assert "mistake" not in told, asked
    assert len(told) < 700, asked

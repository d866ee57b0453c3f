"""Reads the body of an answer on its way to the host, as the host reads it.

An answer is an `httpx` or `httpx2` response. It stays the host's own object: its `iter_bytes`, `aiter_bytes`, `close` and `aclose`
are replaced, from which everything else of it reads; of botocore's `urllib3` response it is `stream` or `read`, and
`close`. So streams are seen whoever decodes them, also raw ones.
"""

from __future__ import annotations

import base64
import json
import re
import weakref
from typing import Any, AsyncIterator, Callable, Iterator, List, NamedTuple, Optional, Tuple

from ._call import Call
from ._json import Json, fields_of, objects_at
from ._problems import Problems

# A header of Amazon's event streams: its name, that a text follows, and how long it is.
_exception_type = re.compile(rb"\x0f:exception-type\x07..(\w+)", re.DOTALL)

# The most bytes of an answer that are kept until it ends, to read its usage.
_most_kept = 32 << 20


class Piece(NamedTuple):
    """A part of a body: its bytes as they came, and what it says; None if that is nothing."""

    raw: bytes
    said: Optional[Json]


class Events:
    """Server-sent events."""

    def __init__(self) -> None:
        self._rest = b""
        self._lines: List[bytes] = []

    def feed(self, chunk: bytes) -> List[Piece]:
        lines = (self._rest + chunk).splitlines(keepends=True)
        self._rest = lines.pop() if lines and not lines[-1].endswith((b"\n", b"\r")) else b""
        pieces = []
        for line in lines:
            self._lines.append(line)
            if not line.strip(b"\r\n"):
                pieces.append(self._flush())
        return pieces

    def end(self) -> List[Piece]:
        self._lines.append(self._rest)
        self._rest = b""
        return [self._flush()]

    def _flush(self) -> Piece:
        raw = b"".join(self._lines)
        data = b"\n".join(line[5:].strip() for line in self._lines if line.startswith(b"data:"))
        self._lines = []
        return Piece(raw, _parse(data) if data.startswith(b"{") else None)


class Messages:
    """Amazon's event streams: each message has its length first, and an event in its payload."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> List[Piece]:
        self._rest += chunk
        pieces = []
        while len(self._rest) >= 12:
            size, headers = int.from_bytes(self._rest[:4], "big"), int.from_bytes(self._rest[4:8], "big")
            if size < 16 or len(self._rest) < size:
                break
            message, self._rest = self._rest[:size], self._rest[size:]
            payload = _parse(message[12 + headers : -4])
            encoded, failure = fields_of(payload).get("bytes"), _exception_type.search(message[12 : 12 + headers])
            if failure:
                said: Optional[Json] = {"type": "error", "error": {**fields_of(payload), "type": failure[1].decode()}}
            else:
                said = _parse(base64.b64decode(encoded)) if isinstance(encoded, str) else payload
            pieces.append(Piece(message, said))
        return pieces

    def end(self) -> List[Piece]:
        return []


class Lines:
    """One JSON object on each line."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> List[Piece]:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return [Piece(line, _parse(line)) for line in lines]

    def end(self) -> List[Piece]:
        rest, self._rest = self._rest, b""
        return [Piece(rest, _parse(rest))]


class Whole:
    """A body that is one JSON object, or none at all."""

    def __init__(self, content_type: str) -> None:
        self._is_json = "json" in content_type
        self._chunks: List[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> List[Piece]:
        self._size += len(chunk)
        if self._is_json and self._size <= _most_kept:
            self._chunks.append(chunk)
        return []

    def end(self) -> List[Piece]:
        body = b"".join(self._chunks) if self._size <= _most_kept else b""
        return [Piece(b"", _parse(body))]


def _parse(text: bytes) -> Optional[Json]:
    try:
        value = json.loads(text) if text else None
    except ValueError:
        # The host gets the same fault when it reads the answer.
        return None
    return value if isinstance(value, dict) else None


def _without_usage(raw: bytes, said: Json) -> bytes:
    """The event without its empty usage, and otherwise to the letter as it came where that can be."""
    # Within a text a quotation mark has a backslash before it, so only a field fits.
    cut, found = re.subn(rb',\s*"usage":\s*null', b"", raw)
    if found == 1:
        return cut
    rest = {name: value for name, value in said.items() if name != "usage"}
    return b"data: " + json.dumps(rest, separators=(",", ":")).encode() + b"\n\n"


def splitter_for(content_type: str) -> Any:
    if "amazon.eventstream" in content_type:
        return Messages()
    if "event-stream" in content_type:
        return Events()
    is_lines = any(kind in content_type for kind in ("jsonl", "ndjson", "stream+json"))
    return Lines() if is_lines else Whole(content_type)


class Tap:
    """What is done with a body on its way to the host."""

    def __init__(
        self,
        problems: Problems,
        splitter: Any,
        take: Callable[[Json], object],
        *,
        call: Optional[Call] = None,
        hides_usage: bool = False,
    ) -> None:
        self._problems, self._splitter, self._take, self._call = problems, splitter, take, call
        self._hides_usage = hides_usage and isinstance(splitter, Events)
        self._this: Callable[[], Any] = lambda: None
        self._replaced: Tuple[str, ...] = ()
        # The last piece of the answer, which waits for the usage that comes behind it.
        self._held = b""
        self._is_reading = False
        self._is_over = False

    def watch(self, response: Any) -> None:
        """Replaces what the host reads of this response. The response is not kept: a forgotten one is closed as without."""
        kind, this = type(response), self._note(response, "iter_bytes", "aiter_bytes", "close", "aclose")

        def iter_bytes(*args: Any, **kwargs: Any) -> Iterator[bytes]:
            return self.read(kind.iter_bytes(this(), *args, **kwargs))

        def aiter_bytes(*args: Any, **kwargs: Any) -> AsyncIterator[bytes]:
            return self.aread(kind.aiter_bytes(this(), *args, **kwargs))

        def close() -> None:
            with self._problems:
                self.close()
            if this() is not None:
                kind.close(this())

        async def aclose() -> None:
            with self._problems:
                self.close()
            if this() is not None:
                await kind.aclose(this())

        response.iter_bytes, response.aiter_bytes, response.close, response.aclose = (
            iter_bytes,
            aiter_bytes,
            close,
            aclose,
        )

    def watch_raw(self, raw: Any, by_chunks: bool = False) -> None:
        """Replaces what botocore reads of a response of `urllib3`: by `stream` if it is an event stream, else by `read`."""
        kind, this = type(raw), self._note(raw, "stream" if by_chunks else "read", "close")

        def stream(*args: Any, **kwargs: Any) -> Iterator[bytes]:
            return self.read(kind.stream(this(), *args, **kwargs))

        def read(amt: Optional[int] = None, *args: Any, **kwargs: Any) -> Any:
            self._is_reading = True
            try:
                chunk = kind.read(this(), amt, *args, **kwargs)
            except BaseException as error:
                self._fail(error)
                raise
            finally:
                self._is_reading = False
            self._pass_on(chunk)
            if amt is None or (amt and not chunk) or getattr(this(), "length_remaining", None) == 0:
                self._end()
            return chunk

        def close() -> None:
            with self._problems:
                self.close()
            if this() is not None:
                kind.close(this())

        raw.close = close
        if by_chunks:
            raw.stream = stream
        else:
            raw.read = read

    def _note(self, response: Any, *names: str) -> Callable[[], Any]:
        """Notes whose methods of these names are replaced until the body ends. The response is held weakly."""
        self._this, self._replaced = weakref.ref(response), names
        weakref.finalize(response, self._forget).atexit = False
        return self._this

    def read(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        if self._is_over:
            yield from chunks
            return
        try:
            while True:
                self._is_reading = True
                try:
                    chunk = next(chunks)
                except StopIteration:
                    break
                finally:
                    self._is_reading = False
                given = self._pass_on(chunk)
                if given or not self._hides_usage:
                    yield given
            rest = self._end()
            if rest:
                yield rest
        except GeneratorExit:
            self._leave()
            raise
        except BaseException as error:
            self._fail(error)
            raise

    async def aread(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        if self._is_over:
            async for chunk in chunks:
                yield chunk
            return
        try:
            while True:
                self._is_reading = True
                try:
                    chunk = await chunks.__anext__()
                except StopAsyncIteration:
                    break
                finally:
                    self._is_reading = False
                given = self._pass_on(chunk)
                if given or not self._hides_usage:
                    yield given
            rest = self._end()
            if rest:
                yield rest
        except GeneratorExit:
            self._leave()
            raise
        except BaseException as error:
            self._fail(error)
            raise

    def close(self) -> None:
        """The host closes the answer, or the client does when it has read all of it."""
        if not self._is_reading:
            self._finish()

    def _forget(self) -> None:
        with self._problems:
            self._is_reading = False
            self.close()

    def _leave(self) -> None:
        with self._problems:
            self.close()

    def _pass_on(self, chunk: bytes) -> bytes:
        """What the host gets of a chunk."""
        with self._problems:
            pieces = self._splitter.feed(chunk)
            for piece in pieces:
                if piece.said is not None:
                    self._take(piece.said)
            if self._hides_usage:
                return b"".join(self._show(piece) for piece in pieces)
        return chunk

    def _show(self, piece: Piece) -> bytes:
        """What the host gets of an event: not what only the request for usage adds, the last chunk and an empty field in others."""
        held, self._held = self._held, b""
        raw, said = piece
        if said is None or "choices" not in said:
            return held + raw
        if "usage" in said:
            choices = objects_at(said, "choices")
            if said["usage"] is not None and not choices:
                return held
            if said["usage"] is None:
                raw = _without_usage(raw, said)
        if any(choice.get("finish_reason") for choice in objects_at(said, "choices")):
            # A host may stop here, and then the usage would never come by.
            self._held = raw
            return held
        return held + raw

    def _end(self) -> bytes:
        """The body has ended. Answers the rest of what the host gets."""
        rest = b""
        with self._problems:
            pieces = self._splitter.end()
            for piece in pieces:
                if piece.said is not None:
                    self._take(piece.said)
            if self._call is not None and isinstance(self._splitter, Whole):
                self._call.reading.is_done = True
            if self._hides_usage:
                rest = b"".join(self._show(piece) for piece in pieces) + self._held
            self._finish()
        return rest

    def _fail(self, error: BaseException) -> None:
        with self._problems:
            self._finish(error)

    def _finish(self, error: Optional[BaseException] = None) -> None:
        if self._is_over:
            return
        self._is_over = True
        response = self._this()
        for name in self._replaced if response is not None else ():
            vars(response).pop(name, None)
        if self._call is None:
            return
        if error is not None:
            self._call.fail(error, aborted=True)
        else:
            self._call.end(aborted=not self._call.reading.is_done)

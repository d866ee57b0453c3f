"""Ids of events."""

from __future__ import annotations

import os
import time


def make_event_id() -> str:
    """A UUID of version 7: 48 bits of time, 74 random bits."""
    return _to_uuid(((time.time_ns() // 1_000_000) << 80) | int.from_bytes(os.urandom(10), "big"), version=7)


def event_id_of(text: str) -> str:
    """The UUID, of version 8, that always stands for this text: four hashes of it, the same as those of the TypeScript SDK."""
    bits = 0
    for part in range(4):
        mixed = 0x9E3779B9 * (part + 1) & _MASK
        for letter in text:
            mixed = _multiply(mixed ^ ord(letter), 0x5BD1E995 + 2 * part) ^ (mixed >> 13)
        mixed = _multiply(mixed ^ (mixed >> 16), 0x85EBCA6B)
        bits = bits << 32 | (mixed ^ (mixed >> 13))
    return _to_uuid(bits, version=8)


_MASK = 0xFFFFFFFF


def _multiply(left: int, right: int) -> int:
    return left * right & _MASK


def _to_uuid(bits: int, version: int) -> str:
    bits = bits & ~(0xF << 76) | version << 76
    bits = bits & ~(0x3 << 62) | 0x2 << 62
    text = f"{bits:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

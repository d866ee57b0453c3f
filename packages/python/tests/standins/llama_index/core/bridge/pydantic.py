from typing import Any


def PrivateAttr() -> Any:
    return None

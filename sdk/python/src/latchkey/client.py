"""Sends requests to the API host."""

from __future__ import annotations

import email.utils
import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

import httpx

MAX_ATTEMPTS = 4
FIRST_PAUSE_SECONDS = 0.5
# A longer Retry-After is left to the caller.
MAX_PAUSE_SECONDS = 60


class Problem(Exception):
    """A response with a status of 400 or more (RFC 9457)."""

    def __init__(self, response: httpx.Response) -> None:
        try:
            document = response.json()
        except ValueError:
            document = None
        self.document: dict[str, Any] = document if isinstance(document, dict) else {}
        self.status = response.status_code
        # None if the response is no problem document.
        self.error_code: str | None = self.document.get("errorCode")
        self.trace_id: str | None = self.document.get("traceId")
        self.response = response
        text = self.document.get("detail") or self.document.get("title") or response.reason_phrase
        super().__init__(f"{self.status} {self.error_code or ''}: {text}")


class _Record(dict[str, Any]):
    """A record with the tag of its state."""

    etag: str | None = None


def etag_of(record: Mapping[str, Any]) -> str | None:
    """The tag of the state of a record that was read or changed: the `if_match` of a change that is meant for this state."""
    return record.etag if isinstance(record, _Record) else None


class Client:
    """A client of one API host; safe for use by several threads. Use it in a `with` statement, or close it."""

    def __init__(
        self,
        base_url: str,
        token: str | Callable[[], str],
        *,
        http: httpx.Client | None = None,
    ) -> None:
        """
        :param base_url: the address of the API host
        :param token: a session token or a management token, or a function that returns the current one; it is called for each attempt
        :param http: replaces the client of HTTP, for proxies and timeouts
        """
        self._base_url = base_url.rstrip("/")
        self._token = token
        self._http = http or httpx.Client(timeout=30)

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def call(
        self,
        method: str,
        path: str,
        values: Mapping[str, str],
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        keyed: bool = False,
    ) -> Any:
        """Sends a request. Reads, and writes with an Idempotency-Key, are repeated after errors of the network, 429 and 503.

        :raises Problem: for a status of 400 or more
        :raises httpx.TransportError: if the network fails
        """
        headers = {"Accept": "application/json, */*;q=0.5"}
        if if_match:
            headers["If-Match"] = if_match
        if keyed:
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        response = self._repeat(
            MAX_ATTEMPTS if keyed or method == "GET" else 1,
            lambda: self._http.request(
                method,
                self._base_url + _filled(path, values),
                params={name: _text(value) for name, value in (query or {}).items() if value is not None},
                json=body,
                headers=headers | self._authorization(),
                follow_redirects=False,
            ),
        )
        if response.status_code >= 400:
            raise Problem(response)
        if not response.content:
            return None
        if not response.headers.get("content-type", "").startswith("application/json"):
            return response.text
        content = response.json()
        if isinstance(content, dict):
            content = _Record(content)
            content.etag = response.headers.get("etag")
        return content

    def pages(self, path: str, values: Mapping[str, str], *, query: Mapping[str, Any] | None = None) -> Iterator[Any]:
        """The records of all pages, which are requested as they are needed."""
        cursor: str | None = None
        while True:
            page = self.call("GET", path, values, query={**(query or {}), "cursor": cursor})
            yield from page["items"]
            cursor = page["nextCursor"]
            if cursor is None:
                return

    def _authorization(self) -> dict[str, str]:
        token = self._token() if callable(self._token) else self._token
        return {"Authorization": f"Bearer {token}"}

    @staticmethod
    def _repeat(attempts: int, send: Callable[[], httpx.Response]) -> httpx.Response:
        for attempt in range(1, attempts):
            try:
                response = send()
            except httpx.TransportError:
                time.sleep(_pause(attempt, None))
                continue
            if response.status_code not in (429, 503):
                return response
            pause = _pause(attempt, response.headers.get("retry-after"))
            if pause > MAX_PAUSE_SECONDS:
                return response
            time.sleep(pause)
        return send()


def _filled(path: str, values: Mapping[str, str]) -> str:
    """Dots would name another path: URLs resolve them even where they are encoded."""
    for name, value in values.items():
        if value in ("", ".", ".."):
            raise ValueError(f"The path needs a value for {name}.")
        path = path.replace("{" + name + "}", quote(value, safe=""))
    return path


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _pause(attempt: int, retry_after: str | None) -> float:
    """What Retry-After asks for; otherwise a random time that doubles, so that clients do not return together."""
    value = (retry_after or "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return random.random() * FIRST_PAUSE_SECONDS * 2 ** (attempt - 1)

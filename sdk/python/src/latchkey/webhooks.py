"""Webhooks (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

TOLERANCE_SECONDS = 300


class InvalidWebhook(Exception):
    """The message is not from Latchkey, was changed, or is too old. Respond with 400, and do nothing else."""


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    *secrets: str,
    now: float | None = None,
) -> dict[str, Any]:
    """
    Checks a message and returns its event. While you rotate a secret, pass both.

    :param body: the raw body as it was received
    :param now: seconds since 1970; the current time if absent
    :raises InvalidWebhook: if the message must be rejected
    :raises ValueError: if a secret is none
    """
    values = {name.lower(): value for name, value in headers.items()}
    identifier, timestamp = values.get("webhook-id"), values.get("webhook-timestamp", "")
    if not identifier or not (timestamp.isascii() and timestamp.isdigit()) or len(timestamp) > 12:
        raise InvalidWebhook("A header is missing.")
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE_SECONDS:
        raise InvalidWebhook("The timestamp is too old or in the future.")
    signatures = [
        version.removeprefix("v1,").encode()
        for version in values.get("webhook-signature", "").split()
        if version.startswith("v1,")
    ]
    content = f"{identifier}.{timestamp}.".encode() + body
    for secret in secrets:
        expected = base64.b64encode(hmac.new(_key(secret), content, hashlib.sha256).digest())
        if any(hmac.compare_digest(signature, expected) for signature in signatures):
            return json.loads(body)
    raise InvalidWebhook("No signature matches: wrong secret, or the body was changed.")


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("A webhook secret must start with whsec_ and be complete.")
    return key

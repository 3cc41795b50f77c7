"""Management tokens."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Literal

import httpx

# A token is renewed when this share of its life has passed, so that it lives through the request it is used for.
USED_SHARE = 0.8


def management_tokens(
    *,
    auth_url: str,
    workspace_id: str,
    project_id: str,
    environment: Literal["test", "production"],
    client_id: str,
    client_secret: str,
    scope: str | None = None,
) -> Callable[[], str]:
    """
    Requests management tokens (`client_credentials`) and keeps the present one until shortly before it expires. Threads
    that wait share one request.

    :param auth_url: the auth address, such as `https://auth.example.com`
    :param scope: some of the application's permissions, separated by spaces; all by default
    """
    form = {
        "grant_type": "client_credentials",
        "client_id": client_id,
        "client_secret": client_secret,
        "workspaceId": workspace_id,
        "projectId": project_id,
        "environment": environment,
        **({"scope": scope} if scope else {}),
    }
    lock = threading.Lock()
    token, until = "", 0.0

    def current() -> str:
        nonlocal token, until
        with lock:
            began = time.monotonic()
            if began >= until:
                token, seconds = _request(f"{auth_url}/connect/token", form)
                until = began + seconds * USED_SHARE
            return token

    return current


def _request(url: str, form: dict[str, str]) -> tuple[str, float]:
    response = httpx.post(url, data=form, timeout=30)
    try:
        content = response.json()
    except ValueError:
        content = {}
    if response.status_code != 200 or not content.get("access_token"):
        reason = content.get("error_description") or content.get("error") or "no token in the response"
        raise RuntimeError(f"Latchkey gave no management token: {response.status_code}, {reason}")
    return content["access_token"], float(content["expires_in"])

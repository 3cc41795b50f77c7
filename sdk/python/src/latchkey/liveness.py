"""Asks Latchkey whether a token is still live: one request for each check."""

from __future__ import annotations

from collections.abc import Callable

import httpx


def introspection(*, issuer: str, client_id: str, client_secret: str) -> Callable[[str], bool]:
    """For access tokens of OpenID Connect (RFC 7662). The client is an application of the project with a secret."""

    def is_live(token: str) -> bool:
        form = {"token": token, "client_id": client_id, "client_secret": client_secret}
        response = httpx.post(f"{issuer}/connect/introspect", data=form, timeout=30)
        response.raise_for_status()
        return response.json()["active"] is True

    return is_live


def live_session(api_url: str) -> Callable[[str], bool]:
    """For session tokens. It sees a blocked member, too."""

    def is_live(token: str) -> bool:
        response = httpx.get(f"{api_url}/v1/me/context", headers={"Authorization": f"Bearer {token}"}, timeout=30)
        if response.status_code in (401, 403):
            return False
        response.raise_for_status()
        return True

    return is_live

"""Access tokens."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import jwt

# How long keys are used before an unknown one makes the verifier read them again: anybody can name an unknown key.
KEYS_SECONDS = 30


class InvalidToken(Exception):
    """The token is not valid for this back end. Other exceptions say that it could not be checked."""


@dataclass(frozen=True)
class AccessToken:
    """What a back end needs from a valid access token."""

    # True for an application that acts for itself, with `client_credentials`.
    is_machine: bool
    # The person's id, or the client id of a machine.
    subject: str
    client_id: str | None
    session_id: str | None
    organization_id: str | None
    # What the application may do.
    scopes: tuple[str, ...]
    # What the person may do. Session tokens have none: read `GET /v1/me/context`.
    permissions: tuple[str, ...]
    roles: tuple[str, ...]
    expires_at: datetime
    claims: dict[str, Any] = field(repr=False)

    def allows(self, *, scope: str | None = None, permission: str | None = None) -> bool:
        """True if the token has what is required."""
        return (scope is None or scope in self.scopes) and (permission is None or permission in self.permissions)


class _Keys(jwt.PyJWKClient):
    _read_at = -float("inf")

    def get_jwk_set(self, refresh: bool = False) -> jwt.PyJWKSet:
        return super().get_jwk_set(refresh and time.monotonic() - self._read_at > KEYS_SECONDS)

    def fetch_data(self) -> Any:
        self._read_at = time.monotonic()
        return super().fetch_data()


class Verifier:
    """Verifies access tokens (RFC 9068) of sessions and of OpenID Connect. The keys are cached; an unknown key is looked up."""

    def __init__(
        self,
        *,
        issuer: str,
        audience: str,
        project_id: str,
        is_live: Callable[[str], bool] | None = None,
        clock_tolerance_seconds: float = 5,
    ) -> None:
        """
        :param issuer: the auth address that issues the tokens
        :param audience: the identifier of your API, or the address of Latchkey's API for session tokens
        :param project_id: the project: projects may share issuer and audience, so both do not say whose token it is
        :param is_live: asks whether a token that verifies is still live; without it an ended session's token holds until it expires
        """
        self._issuer = issuer
        self._audience = audience
        self._project_id = project_id
        self._is_live = is_live
        self._leeway = clock_tolerance_seconds
        self._keys = _Keys(f"{issuer}/connect/jwks", lifespan=300, timeout=10)

    def verify(self, token: str) -> AccessToken:
        """
        :raises InvalidToken: if the token is not valid
        :raises jwt.PyJWKClientConnectionError: if the keys could not be read
        """
        try:
            if str(jwt.get_unverified_header(token).get("typ", "")).lower() != "at+jwt":
                raise InvalidToken("It is no access token.")
            claims = jwt.decode(
                token,
                self._keys.get_signing_key_from_jwt(token),
                algorithms=["ES256"],
                issuer=self._issuer,
                audience=self._audience,
                leeway=self._leeway,
                options={"require": ["exp"]},
            )
        except jwt.PyJWKClientConnectionError:
            raise
        except (jwt.InvalidTokenError, jwt.PyJWKClientError) as error:
            raise InvalidToken(str(error)) from error
        # OpenID Connect's claims are in snake case, those of a session token in camel case.
        if claims.get("project_id", claims.get("projectId")) != self._project_id:
            raise InvalidToken("It is of another project.")
        # The bearer of a bound token has not shown the key that it is bound to (RFC 9449 §7.2, RFC 8705 §3).
        if "cnf" in claims:
            raise InvalidToken("It is bound to a key; it is no bearer token.")
        content = _content(claims)
        if self._is_live and not self._is_live(token):
            raise InvalidToken("Its session or grant has ended.")
        return content

    def verify_header(self, authorization: str | None) -> AccessToken:
        """
        Verifies the `Authorization` header of a request.

        :raises InvalidToken: if it has no valid bearer token: respond with 401
        """
        match = re.fullmatch(r"Bearer +([\w.~+/-]+=*)", authorization or "", re.IGNORECASE | re.ASCII)
        if match is None:
            raise InvalidToken("The request has no bearer token.")
        return self.verify(match[1])


def _content(claims: dict[str, Any]) -> AccessToken:
    subject = claims.get("sub") or claims.get("client_id")
    if not subject:
        raise InvalidToken("It has no subject.")
    return AccessToken(
        is_machine=subject == claims.get("client_id") or "applicationId" in claims,
        subject=subject,
        client_id=claims.get("client_id"),
        session_id=claims.get("sid"),
        organization_id=claims.get("org_id"),
        scopes=tuple(claims.get("scope", "").split()),
        permissions=tuple(claims.get("permissions", ())),
        roles=tuple(claims.get("roles", ())),
        expires_at=datetime.fromtimestamp(claims["exp"], UTC),
        claims=claims,
    )

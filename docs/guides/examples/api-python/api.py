"""An API that verifies access tokens: pip install -r requirements.txt"""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt

ISSUER = os.environ.get("LATCHKEY_ISSUER", "http://localhost:4001")
AUDIENCE = os.environ.get("AUDIENCE", "https://api.example.com")
PROJECT = os.environ["LATCHKEY_PROJECT"]

keys = jwt.PyJWKClient(f"{ISSUER}/connect/jwks")


def authenticate(header):
    """Verifies an access token (RFC 9068). Returns its claims; raises if it is not a valid token for this API."""
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or jwt.get_unverified_header(token).get("typ") != "at+jwt":
        raise jwt.InvalidTokenError("not an access token")
    claims = jwt.decode(
        token,
        keys.get_signing_key_from_jwt(token).key,
        algorithms=["ES256"],
        audience=AUDIENCE,
        issuer=ISSUER,
        options={"require": ["exp", "iat", "iss", "aud", "sub", "client_id"]},
    )
    # Other projects may have an API with this identifier.
    if claims.get("project_id") != PROJECT:
        raise jwt.InvalidTokenError("of another project")
    # A token that is bound to a key needs a proof of it (RFC 9449 §7.2).
    if "cnf" in claims:
        raise jwt.InvalidTokenError("no bearer token")
    return claims


class Api(BaseHTTPRequestHandler):
    def do_GET(self):
        try:
            claims = authenticate(self.headers.get("Authorization", ""))
        except jwt.PyJWTError:
            return self.answer(401, {"error": "invalid_token"})
        if "orders:read" not in claims.get("scope", "").split():
            return self.answer(403, {"error": "insufficient_scope"})
        self.answer(200, {"you": claims["sub"], "project": claims["project_id"]})

    def answer(self, status, body):
        self.send_response(status)
        if status == 401:
            self.send_header("WWW-Authenticate", "Bearer")
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())


port = int(os.environ.get("PORT", "3001"))
server = ThreadingHTTPServer(("localhost", port), Api)
print(f"listening on http://localhost:{port}", flush=True)
server.serve_forever()

"""An application of Flask that signs people in with Authlib, and an API that checks access tokens with it."""

import os

from authlib.integrations.flask_client import OAuth
from authlib.integrations.flask_oauth2 import ResourceProtector
from authlib.oauth2.rfc9068 import JWTBearerTokenValidator
from flask import Flask, redirect, request, session
from joserfc import jwt
from joserfc.jwk import KeySet

ISSUER = os.environ["ISSUER"]
ORIGIN = os.environ["ORIGIN"]
LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"

app = Flask(__name__)
app.secret_key = "a secret of the tests"
oauth = OAuth(app)
latchkey = oauth.register(
    "latchkey",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=f"{ISSUER}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid email offline_access", "code_challenge_method": "S256"},
)
# The tokens of each session, by the session at Latchkey: they are too large and too secret for the cookie.
tokens = {}


@app.get("/sign-in")
def sign_in():
    return latchkey.authorize_redirect(f"{ORIGIN}/callback")


@app.get("/callback")
def callback():
    token = latchkey.authorize_access_token()
    session["sid"] = token["userinfo"]["sid"]
    tokens[session["sid"]] = token
    return redirect("/me")


@app.get("/me")
def me():
    token = tokens.get(session.get("sid"))
    return latchkey.userinfo(token=token) if token else ("", 401)


@app.get("/refresh")
def refresh():
    before = tokens[session["sid"]]
    with latchkey._get_oauth_client(**latchkey.load_server_metadata()) as client:
        after = client.refresh_token(refresh_token=before["refresh_token"])
    tokens[session["sid"]] = {**before, **after}
    return f'{{"changed":{"true" if after["access_token"] != before["access_token"] else "false"}}}'


@app.get("/sign-out")
def sign_out():
    token = tokens.pop(session.pop("sid"))
    return latchkey.logout_redirect(f"{ORIGIN}/", id_token_hint=token["id_token"])


@app.post("/backchannel-logout")
def backchannel_logout():
    # Authlib leaves logout tokens to joserfc, which it is built on.
    token = jwt.decode(request.form["logout_token"], KeySet.import_key_set(latchkey.fetch_jwk_set()), algorithms=["RS256"])
    rules = jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": ISSUER},
        aud={"essential": True, "value": os.environ["CLIENT_ID"]},
        events={"essential": True},
        sid={"essential": True},
    )
    rules.validate(token.claims)
    assert token.header["typ"] == "logout+jwt" and LOGOUT_EVENT in token.claims["events"]
    tokens.pop(token.claims["sid"], None)
    return ""


class Validator(JWTBearerTokenValidator):
    def get_jwks(self):
        return latchkey.fetch_jwk_set()

    def authenticate_token(self, token_string):
        claims = super().authenticate_token(token_string)
        # By default joserfc refuses an empty list, which people without a role have.
        claims.options["roles"] = {"allow_blank": True}
        return claims


require_token = ResourceProtector()
require_token.register_token_validator(Validator(issuer=ISSUER, resource_server=os.environ["AUDIENCE"]))


@app.get("/api")
@require_token()
def api():
    return ""


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]), threaded=True)

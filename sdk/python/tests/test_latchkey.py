"""Against the running Latchkey that LATCHKEY_TEST_DEMO describes."""

import json
import os
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

import latchkey

DEMO = json.loads(os.environ.get("LATCHKEY_TEST_DEMO", "null"))
SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
OTHER_SECRET = "whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA="


@unittest.skipUnless(DEMO, "LATCHKEY_TEST_DEMO names no running Latchkey")
class TheApi(unittest.TestCase):
    def setUp(self) -> None:
        token = latchkey.management_tokens(
            auth_url=DEMO["authUrl"],
            workspace_id=DEMO["workspaceId"],
            project_id=DEMO["projectId"],
            environment="test",
            client_id=DEMO["managementClientId"],
            client_secret=DEMO["managementClientSecret"],
        )
        self.api = latchkey.Api(DEMO["apiUrl"], token)
        self.addCleanup(self.api.close)

    def test_a_member_is_added_changed_and_removed(self) -> None:
        added = self.api.add_member({"email": "python@example.com", "displayName": "Guido"})
        self.assertEqual((added["email"], added["status"]), ("python@example.com", "active"))
        changed = self.api.change_member(added["id"], {"displayName": None})
        self.assertEqual((changed["email"], changed["displayName"]), ("python@example.com", None))
        self.assertIsNone(self.api.remove_member(added["id"]))
        with self.assertRaises(latchkey.Problem) as caught:
            self.api.read_member(added["id"])
        self.assertEqual((caught.exception.status, caught.exception.error_code), (404, "NOT_FOUND"))
        self.assertRegex(caught.exception.trace_id or "", "^[0-9a-f]{32}$")
        for dots in ("", ".", ".."):
            self.assertRaises(ValueError, self.api.read_member, dots)
        with self.assertRaises(latchkey.Problem):
            self.api.read_member("../roles")

    def test_a_change_is_meant_for_the_state_that_was_read(self) -> None:
        added = self.api.add_member({"email": "python-etag@example.com"})
        read = self.api.read_member(added["id"])
        changed = self.api.change_member(added["id"], {"displayName": "Guido"}, if_match=latchkey.etag_of(read))
        self.assertNotEqual(latchkey.etag_of(changed), latchkey.etag_of(read))
        with self.assertRaises(latchkey.Problem) as caught:
            self.api.change_member(added["id"], {"displayName": "Ada"}, if_match=latchkey.etag_of(read))
        self.assertEqual(caught.exception.error_code, "PRECONDITION_FAILED")
        self.assertIsNone(latchkey.etag_of({}))

    def test_a_list_reads_all_pages(self) -> None:
        emails = [f"{name}@python-pages.example.com" for name in "abc"]
        for address in emails:
            self.api.add_member({"email": address})
        found = [member["email"] for member in self.api.list_members(q="python-pages.example", limit=2)]
        self.assertEqual(sorted(map(str, found)), emails)

    def test_a_repeated_write_has_one_effect(self) -> None:
        first = self.api.add_member({"email": "python-once@example.com"}, idempotency_key="python-once")
        second = self.api.add_member({"email": "python-once@example.com"}, idempotency_key="python-once")
        self.assertEqual(first["id"], second["id"])


@unittest.skipUnless(DEMO, "LATCHKEY_TEST_DEMO names no running Latchkey")
class Tokens(unittest.TestCase):
    def verifier(self, **changes: object) -> latchkey.Verifier:
        options = {"issuer": DEMO["authUrl"], "audience": DEMO["apiUrl"], "project_id": DEMO["projectId"]}
        return latchkey.Verifier(**{**options, **changes})

    def test_those_of_sessions_are_verified(self) -> None:
        verifier = self.verifier(is_live=latchkey.live_session(DEMO["apiUrl"]))
        token = verifier.verify_header(f"bearer {DEMO['accessToken']}")
        self.assertRegex(token.subject, "^usr_")
        self.assertFalse(token.is_machine)
        self.assertTrue(token.session_id)
        self.assertFalse(token.allows(permission="orders:refund"))

    def test_others_are_refused(self) -> None:
        text = DEMO["accessToken"]
        for changes in ({"audience": "https://other.example.com"}, {"project_id": "prj_other"}):
            self.assertRaises(latchkey.InvalidToken, self.verifier(**changes).verify, text)
        verifier = self.verifier()
        for wrong in ("", "a.b.c", text[:-8] + "AAAAAAAA"):
            self.assertRaises(latchkey.InvalidToken, verifier.verify, wrong)
        self.assertRaises(latchkey.InvalidToken, verifier.verify_header, "Basic dTpw")
        self.assertRaises(latchkey.InvalidToken, verifier.verify_header, None)

    def test_keys_that_cannot_be_read_say_nothing_about_a_token(self) -> None:
        away = self.verifier(issuer="http://127.0.0.1:9")
        self.assertRaises(jwt.PyJWKClientConnectionError, away.verify, DEMO["accessToken"])


class Issuer:
    """An issuer with one key, which counts how often its keys are read."""

    def __init__(self, test: unittest.TestCase) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.reads = 0
        public = ECAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        keys = json.dumps({"keys": [{**public, "kid": "1", "alg": "ES256", "use": "sig"}]}).encode()
        issuer = self

        class Keys(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.reads += 1
                self.send_response(200)
                self.send_header("Content-Length", str(len(keys)))
                self.end_headers()
                self.wfile.write(keys)

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Keys)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        test.addCleanup(server.server_close)
        test.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}"
        self.verifier = latchkey.Verifier(issuer=self.url, audience="https://orders.example", project_id="prj_1")

    def token(self, claims: dict[str, object] | None = None, **header: object) -> str:
        """A valid token with these changes; None leaves a claim out."""
        all_claims = {
            "iss": self.url,
            "aud": "https://orders.example",
            "exp": int(time.time()) + 60,
            "sub": "usr_1",
            "client_id": "client",
            "project_id": "prj_1",
            "scope": "orders:read orders:refund",
            **(claims or {}),
        }
        known = {name: value for name, value in all_claims.items() if value is not None}
        return jwt.encode(known, self.key, "ES256", headers={"typ": "at+jwt", "kid": "1", **header})


class SignedTokens(unittest.TestCase):
    def test_those_of_openid_connect_and_of_machines_are_verified(self) -> None:
        issuer = Issuer(self)
        person = issuer.verifier.verify(issuer.token())
        self.assertEqual((person.subject, person.is_machine), ("usr_1", False))
        self.assertEqual(person.scopes, ("orders:read", "orders:refund"))
        machine = issuer.verifier.verify(issuer.token({"sub": "client"}))
        self.assertTrue(machine.is_machine)

    def test_every_other_one_is_refused(self) -> None:
        issuer = Issuer(self)
        refused = {
            "an ID token": issuer.token(typ="JWT"),
            "a bound token": issuer.token({"cnf": {"jkt": "key"}}),
            "an expired token": issuer.token({"exp": int(time.time()) - 60}),
            "a token without expiry": issuer.token({"exp": None}),
            "a later token": issuer.token({"nbf": int(time.time()) + 60}),
            "a token without project": issuer.token({"project_id": None}),
            "a token of another project": issuer.token({"project_id": "prj_2", "projectId": "prj_1"}),
            "a token of another issuer": issuer.token({"iss": "https://elsewhere.example"}),
            "a token without subject": issuer.token({"sub": None, "client_id": None}),
            "a token signed with a secret": jwt.encode({}, "s" * 32, "HS256", headers={"typ": "at+jwt", "kid": "1"}),
            "a token of another key": Issuer(self).token({"iss": issuer.url}),
        }
        for name, token in refused.items():
            with self.subTest(name):
                self.assertRaises(latchkey.InvalidToken, issuer.verifier.verify, token)

    def test_unknown_keys_do_not_make_it_read_the_keys_each_time(self) -> None:
        issuer = Issuer(self)
        for number in range(20):
            self.assertRaises(latchkey.InvalidToken, issuer.verifier.verify, issuer.token(kid=f"unknown {number}"))
        self.assertEqual(issuer.reads, 1)
        issuer.verifier.verify(issuer.token())


class Repetition(unittest.TestCase):
    def test_writes_without_a_key_are_sent_once(self) -> None:
        counts: dict[str, int] = {}

        class Away(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                counts[self.command] = counts.get(self.command, 0) + 1
                self.send_response(503)
                self.send_header("Retry-After", "0")
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_PATCH = do_POST

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Away)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        with latchkey.Api(f"http://127.0.0.1:{server.server_port}", "token") as api:
            self.assertRaises(latchkey.Problem, api.add_member, {})
            self.assertRaises(latchkey.Problem, api.change_member, "mem_1", {})
        self.assertEqual(counts, {"POST": 4, "PATCH": 1})


class Webhooks(unittest.TestCase):
    def test_messages_are_verified(self) -> None:
        # Signed with openssl: printf 'evt_1.1700000000.{"id":"evt_1"}' | openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef -binary | base64
        headers = {
            "Webhook-Id": "evt_1",
            "Webhook-Timestamp": "1700000000",
            "Webhook-Signature": "v1,AAAA v1,wnDSO1ZxcMMzWWv20TenHZkUwVDd563IxRyo3aRDsM0=",
        }
        body, now = b'{"id":"evt_1"}', 1_700_000_000
        self.assertEqual(latchkey.verify_webhook(body, headers, OTHER_SECRET, SECRET, now=now), {"id": "evt_1"})
        for wrong, moment, secret in (
            (body + b" ", now, SECRET),
            (body, now, OTHER_SECRET),
            (body, now + 301, SECRET),
            (body, now - 301, SECRET),
        ):
            self.assertRaises(latchkey.InvalidWebhook, latchkey.verify_webhook, wrong, headers, secret, now=moment)
        self.assertRaises(latchkey.InvalidWebhook, latchkey.verify_webhook, body, {}, SECRET, now=now)
        self.assertRaises(ValueError, latchkey.verify_webhook, body, headers, "whsec_", now=now)


if __name__ == "__main__":
    unittest.main()

"""A service provider made with pysaml2.

It reads JSON: entityId, consumer, logout, key, certificate, metadata (of the identity provider); to end a sign-in,
response (SAMLResponse of the form) and id (of the request); to ask for a logout, subject and sessionIndex; to end it,
loggedOut (SAMLResponse of the form); to log out for the identity provider, asked (SAMLRequest of the form). It writes
JSON: a request with its id, what the assertion says, a message about a logout, or its status.
"""

import json
import sys
import tempfile

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT, xmldsig
from saml2.client import Saml2Client
from saml2.config import SPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAMEID_FORMAT_PERSISTENT, NameID


def file_with(text):
    file = tempfile.NamedTemporaryFile("w", suffix=".pem", delete=False)
    file.write(text)
    file.close()
    return file.name


given = json.load(sys.stdin)
config = SPConfig()
config.load(
    {
        "entityid": given["entityId"],
        "crypto_backend": "XMLSecurity",
        "key_file": file_with(given["key"]),
        "cert_file": file_with(given["certificate"]),
        "metadata": {"inline": [given["metadata"]] if "metadata" in given else []},
        "service": {
            "sp": {
                "endpoints": {
                    "assertion_consumer_service": [(given["consumer"], BINDING_HTTP_POST)],
                    "single_logout_service": [(given["logout"], BINDING_HTTP_POST)],
                },
                # This backend signs no addresses.
                "authn_requests_signed": False,
                "want_assertions_signed": True,
                "want_response_signed": True,
                "signing_algorithm": xmldsig.SIG_RSA_SHA256,
                "digest_algorithm": xmldsig.DIGEST_SHA256,
            }
        },
        "allow_unknown_attributes": True,
    }
)
if "metadata" not in given:
    print(json.dumps({"metadata": str(entity_descriptor(config))}))
    sys.exit()
client = Saml2Client(config=config)
signing = {"sign": True, "sign_alg": xmldsig.SIG_RSA_SHA256, "digest_alg": xmldsig.DIGEST_SHA256}
if "subject" in given:
    (provider,) = client.metadata.keys()
    (service, *_) = client.metadata.single_logout_service(provider, BINDING_HTTP_POST, "idpsso")
    request_id, message = client.create_logout_request(
        service["location"],
        provider,
        name_id=NameID(format=NAMEID_FORMAT_PERSISTENT, text=given["subject"]),
        session_indexes=[given["sessionIndex"]],
        **signing,
    )
    print(json.dumps({"id": request_id, "message": str(message), "address": service["location"]}))
    sys.exit()
if "loggedOut" in given:
    response = client.parse_logout_request_response(given["loggedOut"], BINDING_HTTP_POST)
    print(json.dumps({"status": response.response.status.status_code.value, "id": response.in_response_to}))
    sys.exit()
if "asked" in given:
    request = client.parse_logout_request(given["asked"], BINDING_HTTP_POST)
    message = client.create_logout_response(request.message, [BINDING_HTTP_POST], **signing)
    print(json.dumps({"message": str(message), "subject": request.subject_id().text}))
    sys.exit()
if "response" not in given:
    request_id, info = client.prepare_for_authenticate(binding=BINDING_HTTP_REDIRECT, relay_state="here")
    print(json.dumps({"id": request_id, "address": dict(info["headers"])["Location"]}))
    sys.exit()
response = client.parse_authn_request_response(given["response"], BINDING_HTTP_POST, {given["id"]: "/"})
print(
    json.dumps(
        {
            "subject": response.get_subject().text,
            "sessionIndex": response.session_info()["session_index"],
            "attributes": json.dumps(response.ava, sort_keys=True),
        }
    )
)

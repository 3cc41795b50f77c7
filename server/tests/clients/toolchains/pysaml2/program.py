"""An identity provider made with pysaml2.

It reads JSON: entityId, signOn, key and certificate; and to sign a person in, metadata (of the service provider),
request (SAMLRequest of the redirect) and email. It writes JSON: its own metadata, or the response.
"""

import json
import sys
import tempfile

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT, xmldsig
from saml2.authn_context import PASSWORDPROTECTEDTRANSPORT
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAMEID_FORMAT_PERSISTENT, NameID
from saml2.server import Server


def file_with(text):
    file = tempfile.NamedTemporaryFile("w", suffix=".pem", delete=False)
    file.write(text)
    file.close()
    return file.name


given = json.load(sys.stdin)
config = IdPConfig()
config.load(
    {
        "entityid": given["entityId"],
        "crypto_backend": "XMLSecurity",
        "key_file": file_with(given["key"]),
        "cert_file": file_with(given["certificate"]),
        "metadata": {"inline": [given["metadata"]] if "metadata" in given else []},
        "service": {
            "idp": {
                "endpoints": {"single_sign_on_service": [(given["signOn"], BINDING_HTTP_REDIRECT)]},
                "name_id_format": [NAMEID_FORMAT_PERSISTENT],
            }
        },
    }
)
server = Server(config=config)
if "request" not in given:
    print(json.dumps({"metadata": str(entity_descriptor(config))}))
    sys.exit()
request = server.parse_authn_request(given["request"], BINDING_HTTP_REDIRECT)
response = server.create_authn_response(
    {"mail": [given["email"]]},
    name_id=NameID(format=NAMEID_FORMAT_PERSISTENT, text=given["email"]),
    authn={"class_ref": PASSWORDPROTECTEDTRANSPORT},
    sign_assertion=True,
    sign_response=False,
    sign_alg=xmldsig.SIG_RSA_SHA256,
    digest_alg=xmldsig.DIGEST_SHA256,
    **server.response_args(request.message, [BINDING_HTTP_POST]),
)
print(json.dumps({"response": str(response)}))

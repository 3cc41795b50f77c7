"""What a back end in Python needs beside HTTP to use Latchkey."""

from .client import Problem, etag_of
from .liveness import introspection, live_session
from .management import management_tokens
from .operations import Operations as Api
from .tokens import AccessToken, InvalidToken, Verifier
from .webhooks import InvalidWebhook, verify_webhook

__all__ = [
    "AccessToken",
    "Api",
    "InvalidToken",
    "InvalidWebhook",
    "Problem",
    "Verifier",
    "etag_of",
    "introspection",
    "live_session",
    "management_tokens",
    "verify_webhook",
]

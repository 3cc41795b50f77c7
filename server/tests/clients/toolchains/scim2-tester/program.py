"""Runs scim2-tester against a SCIM service, and prints each result as a line of JSON."""

import json
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

base_url, token = sys.argv[1:]
client = SyncSCIMClient(Client(base_url=base_url, headers={"Authorization": f"Bearer {token}"}, timeout=60))
client.discover()
for result in check_server(client):
    print(json.dumps({"check": result.title, "status": result.status.name, "reason": result.reason}))

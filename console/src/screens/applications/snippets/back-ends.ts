import type { Facts, Snippet } from './snippet.ts';

const env = ({ issuer, apiUrl, clientId, clientSecret, workspaceId, projectId, environment }: Facts) =>
  `LATCHKEY_AUTH_URL=${issuer}
LATCHKEY_API_URL=${apiUrl}
LATCHKEY_CLIENT_ID=${clientId}
LATCHKEY_CLIENT_SECRET=${clientSecret}
LATCHKEY_WORKSPACE_ID=${workspaceId}
LATCHKEY_PROJECT_ID=${projectId}
LATCHKEY_ENVIRONMENT=${environment}`;

const node: Snippet = {
  key: 'node',
  name: 'Node.js',
  kinds: ['management'],
  install: 'npm init -y && npm pkg set type=module\nnpm install @latchkey/api @latchkey/node',
  env,
  files: () => [
    [
      'members.js',
      `import { createApiClient } from '@latchkey/api';
import { managementTokens } from '@latchkey/node';

const token = managementTokens({
  authUrl: process.env.LATCHKEY_AUTH_URL,
  workspaceId: process.env.LATCHKEY_WORKSPACE_ID,
  projectId: process.env.LATCHKEY_PROJECT_ID,
  environment: process.env.LATCHKEY_ENVIRONMENT,
  clientId: process.env.LATCHKEY_CLIENT_ID,
  clientSecret: process.env.LATCHKEY_CLIENT_SECRET,
});
const api = createApiClient({ baseUrl: process.env.LATCHKEY_API_URL, token });

for await (const member of api.list('/v1/admin/members')) console.log(member.email);`,
    ],
  ],
  run: 'node --env-file=.env members.js',
};

const python: Snippet = {
  key: 'python',
  name: 'Python',
  kinds: ['management'],
  install: '# The folder sdk/python of Latchkey’s source\npip install ./sdk/python',
  env,
  files: () => [
    [
      'members.py',
      `import os

import latchkey

token = latchkey.management_tokens(
    auth_url=os.environ["LATCHKEY_AUTH_URL"],
    workspace_id=os.environ["LATCHKEY_WORKSPACE_ID"],
    project_id=os.environ["LATCHKEY_PROJECT_ID"],
    environment=os.environ["LATCHKEY_ENVIRONMENT"],
    client_id=os.environ["LATCHKEY_CLIENT_ID"],
    client_secret=os.environ["LATCHKEY_CLIENT_SECRET"],
)
with latchkey.Api(os.environ["LATCHKEY_API_URL"], token) as api:
    for member in api.list_members():
        print(member["email"])`,
    ],
  ],
  run: 'set -a && . ./.env && python3 members.py',
};

const go: Snippet = {
  key: 'go',
  name: 'Go',
  kinds: ['management'],
  install: `# latchkey: the folder sdk/go of Latchkey’s source
go mod init my-back-end
go mod edit -require=github.com/latchkey/latchkey/sdk/go@v0.0.0 -replace=github.com/latchkey/latchkey/sdk/go=./sdk/go`,
  env,
  files: () => [
    [
      'main.go',
      `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	latchkey "github.com/latchkey/latchkey/sdk/go"
)

func main() {
	client := &latchkey.Client{
		BaseURL: os.Getenv("LATCHKEY_API_URL"),
		Token: latchkey.ManagementTokens(latchkey.ManagementClient{
			AuthURL:      os.Getenv("LATCHKEY_AUTH_URL"),
			WorkspaceID:  os.Getenv("LATCHKEY_WORKSPACE_ID"),
			ProjectID:    os.Getenv("LATCHKEY_PROJECT_ID"),
			Environment:  os.Getenv("LATCHKEY_ENVIRONMENT"),
			ClientID:     os.Getenv("LATCHKEY_CLIENT_ID"),
			ClientSecret: os.Getenv("LATCHKEY_CLIENT_SECRET"),
		}),
	}
	for member, err := range client.ListMembers(context.Background(), latchkey.ListMembersQuery{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(member.ID)
	}
}`,
    ],
  ],
  run: 'go mod tidy && set -a && . ./.env && go run .',
};

const shell: Snippet = {
  key: 'shell',
  name: 'Shell',
  kinds: ['management'],
  install: 'curl and jq',
  env,
  files: () => [
    [
      'members.sh',
      `. ./.env
TOKEN=$(curl -s "$LATCHKEY_AUTH_URL/connect/token" \\
  -u "$LATCHKEY_CLIENT_ID:$LATCHKEY_CLIENT_SECRET" \\
  -d grant_type=client_credentials \\
  -d workspaceId="$LATCHKEY_WORKSPACE_ID" \\
  -d projectId="$LATCHKEY_PROJECT_ID" \\
  -d environment="$LATCHKEY_ENVIRONMENT" | jq -r .access_token)

curl -s "$LATCHKEY_API_URL/v1/admin/members" -H "Authorization: Bearer $TOKEN"`,
    ],
  ],
  run: 'sh members.sh',
};

/** Programs that call the admin API in their own name. */
export const BACK_ENDS: readonly Snippet[] = [node, python, go, shell];

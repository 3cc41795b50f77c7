import type { Facts, Snippet } from './snippet.ts';

const KINDS = ['spa', 'web', 'native'] as const;

const env = ({ issuer, projectId, audience }: Facts) =>
  `LATCHKEY_ISSUER=${issuer}
LATCHKEY_PROJECT_ID=${projectId}
# The identifier of the API: tokens are issued for it.
LATCHKEY_API=${audience}
PORT=3001`;

const fastify: Snippet = {
  key: 'fastify',
  name: 'Fastify API',
  kinds: KINDS,
  needsApi: true,
  install: 'npm init -y && npm pkg set type=module\nnpm install fastify @latchkey/node',
  env,
  files: () => [
    [
      'server.js',
      `import { tokenVerifier } from '@latchkey/node';
import { accessTokenOf, requireToken } from '@latchkey/node/fastify';
import fastify from 'fastify';

const { LATCHKEY_ISSUER: issuer, LATCHKEY_PROJECT_ID: projectId, LATCHKEY_API: audience, PORT } = process.env;

const verify = tokenVerifier({ issuer, audience, projectId });
const app = fastify();

app.get('/', { onRequest: requireToken(verify) }, (request) => ({ you: accessTokenOf(request).subject }));

await app.listen({ port: Number(PORT), host: 'localhost' });
console.log(\`Listens on http://localhost:\${PORT}\`);`,
    ],
  ],
  run: 'node --env-file=.env server.js',
};

const python: Snippet = {
  key: 'python',
  name: 'Python API',
  kinds: KINDS,
  needsApi: true,
  install:
    '# latchkey: the folder sdk/python of Latchkey’s source\npip install fastapi "uvicorn[standard]" ./sdk/python',
  env,
  files: () => [
    [
      'main.py',
      `import os
from typing import Annotated

import latchkey
from fastapi import Depends, FastAPI, Header, HTTPException

verifier = latchkey.Verifier(
    issuer=os.environ["LATCHKEY_ISSUER"],
    audience=os.environ["LATCHKEY_API"],
    project_id=os.environ["LATCHKEY_PROJECT_ID"],
)
app = FastAPI()


def current_token(authorization: Annotated[str | None, Header()] = None) -> latchkey.AccessToken:
    try:
        return verifier.verify_header(authorization)
    except latchkey.InvalidToken as error:
        raise HTTPException(401, str(error), {"WWW-Authenticate": 'Bearer error="invalid_token"'}) from error


@app.get("/")
def greet(token: Annotated[latchkey.AccessToken, Depends(current_token)]) -> dict[str, str]:
    return {"you": token.subject}`,
    ],
  ],
  run: 'set -a && . ./.env && uvicorn main:app --port $PORT',
};

const go: Snippet = {
  key: 'go',
  name: 'Go API',
  kinds: KINDS,
  needsApi: true,
  install: `# latchkey: the folder sdk/go of Latchkey’s source
go mod init my-api
go mod edit -require=github.com/latchkey/latchkey/sdk/go@v0.0.0 -replace=github.com/latchkey/latchkey/sdk/go=./sdk/go`,
  env,
  files: () => [
    [
      'main.go',
      `package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	latchkey "github.com/latchkey/latchkey/sdk/go"
)

func main() {
	verifier := latchkey.NewVerifier(context.Background(), latchkey.VerifierOptions{
		Issuer:    os.Getenv("LATCHKEY_ISSUER"),
		Audience:  os.Getenv("LATCHKEY_API"),
		ProjectID: os.Getenv("LATCHKEY_PROJECT_ID"),
	})
	greet := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(map[string]string{"you": latchkey.TokenOf(r.Context()).Subject})
	})
	http.Handle("/", verifier.RequireToken(latchkey.Required{}, greet))
	log.Fatal(http.ListenAndServe("localhost:"+os.Getenv("PORT"), nil))
}`,
    ],
  ],
  run: 'go mod tidy && set -a && . ./.env && go run .',
};

/** APIs that take the access tokens of the application. */
export const APIS: readonly Snippet[] = [fastify, python, go];

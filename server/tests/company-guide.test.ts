import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as client from 'openid-client';
import { mailedToken, managementToken, PASSWORD, startTestLatchkey, type TestLatchkey } from './harness.ts';
import { codeFlow, signInOn } from './oidc.ts';
import { dereferenced } from './openapi.ts';
import { freePort } from './ports.ts';

const DOCS = resolve(import.meta.dirname, '../../docs');
const EXAMPLE = join(DOCS, 'guides/examples/first-company/invoices.ts');
const AUDIENCE = 'https://invoices.example.com';
const OWNER = 'grace@initech.example';

let latchkey: TestLatchkey;
let page: string;
let server: ChildProcess | undefined;
before(async () => {
  page = await readFile(join(DOCS, 'guides/first-company.md'), 'utf8');
  latchkey = await startTestLatchkey();
});
after(async () => {
  server?.kill('SIGKILL');
  await latchkey.stop();
});

type GuideRequest = {
  method: string;
  path: string;
  body: string | undefined;
  /** The variable of the guide that holds the id in the response. */
  keptAs: string | undefined;
  /** False for a request that needs the DNS, the identity provider or the directory of a company. */
  runs: boolean;
};

/** The requests of the guide: `admin METHOD path -d 'body'`, and perhaps `NAME=id_…` below. */
function requestsOf(text: string): GuideRequest[] {
  return [...text.matchAll(/^```sh( run)?\n([\s\S]*?)^```$/gm)].flatMap(([, runs, block = '']) =>
    [...block.matchAll(/^admin ([A-Z]+) (\S+)(?: -d '(.*)')?\n(?:(\w+)=\w+…)?/gm)].map(
      ([, method = '', path = '', body, keptAs]) => ({ method, path, body, keptAs, runs: runs !== undefined }),
    ),
  );
}

function filledIn(text: string, ids: ReadonlyMap<string, string>): string {
  return text.replaceAll(/'?\$(\w+)'?/g, (_all, name) => ids.get(name) ?? `${name}`);
}

/** Runs the requests of the guide in order. @returns the responses by path */
async function runRequests(): Promise<Map<string, { id: string; clientId: string; secret: string }>> {
  const token = await managementToken(latchkey);
  const ids = new Map<string, string>();
  const responses = new Map();
  for (const { method, path, body, keptAs } of requestsOf(page).filter(({ runs }) => runs)) {
    const sent = body === undefined ? {} : { body: JSON.parse(filledIn(body, ids)) };
    // biome-ignore lint/performance/noAwaitInLoops: in the order of the guide
    const response = await latchkey.api(`/v1/admin/${filledIn(path, ids)}`, { token, method, ...sent });
    assert.ok(response.status < 300, `${method} ${path}: ${response.text}`);
    if (keptAs !== undefined) ids.set(keptAs, response.body.id);
    responses.set(path, response.body);
  }
  return responses;
}

/** Starts the back end of the guide. @returns calls it with an access token */
async function startBackEnd() {
  const port = await freePort();
  const { auth, api } = latchkey.system.config.addresses.test;
  const addresses = { LATCHKEY_ISSUER: auth, LATCHKEY_API: api, PORT: port };
  const env = {
    PATH: process.env['PATH'],
    ...addresses,
    LATCHKEY_PROJECT: latchkey.demo.projects[0]?.id,
    MANAGEMENT_TOKEN: await managementToken(latchkey, 'roles:read'),
  };
  server = spawn(process.execPath, [EXAMPLE], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  assert.ok(server.stdout);
  const { value } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
  assert.match(String(value), /^listening/);
  return async (token?: string): Promise<[number, unknown]> => {
    const headers = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
    const response = await fetch(`http://localhost:${port}/`, headers);
    return [response.status, await response.json()];
  };
}

describe('the guide of the first company', () => {
  test('has only requests that the description of the API allows', async () => {
    const { paths } = dereferenced(JSON.parse(await readFile(join(DOCS, 'openapi/api.json'), 'utf8')));
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const requests = requestsOf(page);
    assert.ok(requests.length > 15);
    for (const { method, path, body } of requests) {
      const about = `${method} ${path}`;
      const called = `/v1/admin/${path.replaceAll(/\$\w+/g, '{id}')}`;
      const template = Object.keys(paths).find((known) => known.replaceAll(/\{\w+\}/g, '{id}') === called);
      const operation = paths[template ?? '']?.[method.toLowerCase()];
      assert.ok(operation, about);
      const schema = operation.requestBody?.content['application/json'].schema;
      if (body === undefined) assert.ok(operation.requestBody?.required !== true, `${about} takes a body`);
      else {
        const example = JSON.parse(body.replaceAll(/'\$\w+'/g, 'org_01kaz3w9hqf8p9n2m4v5x6y7z8'));
        assert.ok(ajv.validate(schema, example), `${about}: ${ajv.errorsText()}`);
      }
    }
  });

  test('leads to an owner who signs in for the company, and a back end that checks her permission', async () => {
    const responses = await runRequests();
    const application = responses.get('applications');
    const organization = responses.get('organizations');
    assert.ok(application && organization);
    const accepted = await latchkey.auth('/v1/auth/invitations/accept', {
      body: { token: await mailedToken(latchkey, OWNER), password: PASSWORD },
    });
    assert.equal(accepted.status, 200, accepted.text);
    const parameters = { resource: AUDIENCE, scope: 'openid profile email organization', organization: 'initech' };
    const flow = await codeFlow(latchkey, parameters, {
      clientId: application.clientId,
      secret: application.secret,
      redirectUri: 'http://localhost:3000/callback',
    });
    const back = await signInOn(latchkey, flow, { email: OWNER });
    const { code_verifier, state, nonce } = flow.parameters;
    const checks = { pkceCodeVerifier: code_verifier, expectedState: state, expectedNonce: nonce };
    const resource = { resource: AUDIENCE };
    const tokens = await client.authorizationCodeGrant(flow.configuration, new URL(back.url), checks, resource);
    const list = await startBackEnd();
    assert.deepEqual(await list(tokens.access_token), [200, { company: 'Initech', invoices: [] }]);
    assert.deepEqual(await list(accepted.body.access_token), [401, { error: 'invalid_token' }]);
    assert.deepEqual(await list(), [401, { error: 'invalid_token' }]);

    const token = await managementToken(latchkey);
    const members = `/v1/admin/organizations/${organization.id}/members`;
    const [{ memberId }] = (await latchkey.api(members, { token })).body.items;
    const owner = { token, method: 'PUT', body: { roles: ['owner'] } };
    assert.equal((await latchkey.api(`${members}/${memberId}/roles`, owner)).status, 200);
    assert.deepEqual(await list(tokens.access_token), [403, { error: 'not_allowed' }], 'with the same token');
  });
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Demo } from '#hosts';
import { loadConfig } from '#platform/config.ts';
import { failing } from './failing.ts';

type Json = Record<string, unknown>;
type Step = {
  title: string;
  url: string;
  token?: Json;
  headers?: Record<string, string>;
  body?: Json | URLSearchParams;
  method?: 'POST';
  expect?: number;
};

const PASSWORD = 'correct horse battery staple';

/** Walks through the product against the running demo with plain `fetch`, and prints every request and response. */
export async function quickstart(overrides: Record<string, string | undefined>): Promise<void> {
  await failing(overrides, async () => {
    const demo = await readDemo(join(loadConfig(undefined, overrides).dataDir, 'demo.json'));
    const email = `ada.${Date.now()}@example.com`;
    const session = await walkAsCustomer(demo, email);
    await walkAsBackEnd(demo, email, session);
    await run({ title: 'Is everything well?', url: `${demo.environments.test.apiUrl}/api/status/summary` });
    process.stdout.write('\nThat is everything. The addresses and credentials are in demo.json.\n');
  });
}

/** @returns the session response for the next steps */
async function walkAsCustomer(demo: Demo, email: string): Promise<Json> {
  const { authUrl, apiUrl, clientId } = demo.environments.test;
  const secondProject = { workspaceId: demo.workspaceId, projectId: demo.projects[1]?.id, environment: 'test' };
  const registered = await run({
    title: 'A customer registers',
    url: `${authUrl}/v1/auth/register`,
    body: { clientId, email, password: PASSWORD, profile: { displayName: 'Ada' } },
  });
  await run({
    title: 'and signs in with the password',
    url: `${authUrl}/v1/auth/login/password`,
    body: { clientId, identifier: email, password: PASSWORD },
  });
  await run({ title: 'Who am I, and where?', url: `${apiUrl}/v1/me/context`, token: registered });
  await run({
    title: 'The second product of the workspace: signing in there joins it',
    url: `${authUrl}/v1/auth/login/password`,
    body: { ...secondProject, identifier: email, password: PASSWORD },
  });
  const switched = await run({
    title: 'From now on the first session can enter it without a password',
    url: `${authUrl}/v1/sessions/switch-context`,
    token: registered,
    body: secondProject,
  });
  await run({ title: 'The new token is for the second product', url: `${apiUrl}/v1/me/context`, token: switched });
  return run({
    title: 'Access tokens are short-lived; the refresh token gives the next',
    url: `${authUrl}/v1/sessions/refresh`,
    body: { refresh_token: registered['refresh_token'] },
  });
}

async function walkAsBackEnd(demo: Demo, email: string, session: Json): Promise<void> {
  const { authUrl, apiUrl, managementClientId, managementClientSecret } = demo.environments.test;
  const credentials = [managementClientId, managementClientSecret].map(encodeURIComponent).join(':');
  const management = await run({
    title: 'A back end gets a management token',
    url: `${authUrl}/connect/token`,
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      workspaceId: demo.workspaceId,
      projectId: demo.projects[0]?.id ?? '',
      environment: 'test',
    }),
  });
  const members = await run({
    title: 'and finds the customer among the members',
    url: `${apiUrl}/v1/admin/members?q=${encodeURIComponent(email)}`,
    token: management,
  });
  const [member] = Array.isArray(members['items']) ? members['items'] : [];
  await run({
    title: 'The back end ends all sessions of the member',
    method: 'POST',
    url: `${apiUrl}/v1/admin/members/${String(Object(member)['id'])}/sessions/revoke`,
    token: management,
  });
  await run({
    title: 'The token that worked a moment ago is refused',
    url: `${apiUrl}/v1/me/context`,
    token: session,
    expect: 401,
  });
}

async function readDemo(path: string): Promise<Demo> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new Error(`Found no demo at ${path}. Start Latchkey first, in another terminal: npx latchkey serve`, {
      cause: error,
    });
  }
}

async function run({ title, url, token, headers, body, method, expect = 200 }: Step): Promise<Json> {
  const form = body instanceof URLSearchParams;
  const payload = body === undefined ? null : form ? body.toString() : JSON.stringify(body);
  const verb = method ?? (payload === null ? 'GET' : 'POST');
  process.stdout.write(
    `\n— ${title}\n\n  ${verb} ${url}\n${payload === null ? '' : `  ${shorten(decodeURIComponent(payload))}\n`}`,
  );
  const response = await fetch(url, {
    method: verb,
    headers: {
      ...headers,
      ...(token && { authorization: `Bearer ${String(token['access_token'])}` }),
      ...(payload !== null && { 'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json' }),
    },
    body: payload,
  });
  const result: unknown = await response.json();
  process.stdout.write(`\n  ${response.status}\n${shorten(JSON.stringify(result, null, 2)).replaceAll(/^/gm, '  ')}\n`);
  if (response.status !== expect) throw new Error(`Expected ${expect}, received ${response.status}.`);
  return Object(result);
}

/** Shortens tokens for display. */
function shorten(text: string): string {
  return text.replaceAll(/(ey[A-Za-z0-9_-]{12}|lkr_[a-z0-9]{8}_[A-Za-z0-9_-]{4})[A-Za-z0-9._-]{20,}/g, '$1…');
}

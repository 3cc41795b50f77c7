import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Demo } from '#hosts';
import { loadConfig } from '#platform/config.ts';
import { failing } from './failing.ts';

type Json = Record<string, unknown>;
type Step = { title: string; method: 'GET' | 'POST'; url: string; headers?: Record<string, string>; body?: Json | URLSearchParams; expect: number };

/** Walks through the product against the running demo with plain `fetch`, and shows every request and answer. */
export async function quickstart(overrides: Record<string, string | undefined>): Promise<void> {
  await failing(async () => {
    const { dataDir } = loadConfig(process.env, overrides);
    const demo = await readDemo(join(dataDir, 'demo.json'));
    const { test } = demo.environments;
    const [shop, helpdesk] = demo.projects;
    if (!shop || !helpdesk) throw new Error('demo.json names fewer than two projects; start with a fresh data folder.');
    const email = `ada.${Date.now()}@example.com`;
    const password = 'correct horse battery staple';
    const scope = { workspaceId: demo.workspaceId, environment: 'test' };

    const registered = await run({ title: 'A customer registers', method: 'POST', url: `${test.authUrl}/v1/auth/register`, body: { clientId: test.clientId, email, password, profile: { displayName: 'Ada' } }, expect: 200 });
    await run({ title: 'and signs in with the password', method: 'POST', url: `${test.authUrl}/v1/auth/login/password`, body: { clientId: test.clientId, identifier: email, password }, expect: 200 });
    await run({ title: 'Who am I, and where?', method: 'GET', url: `${test.apiUrl}/v1/me/context`, headers: bearer(registered), expect: 200 });
    await run({ title: 'The second product of the workspace: signing in there joins it', method: 'POST', url: `${test.authUrl}/v1/auth/login/password`, body: { ...scope, projectId: helpdesk.id, identifier: email, password }, expect: 200 });
    const switched = await run({ title: 'From now on the first session can enter it without a password', method: 'POST', url: `${test.authUrl}/v1/sessions/switch-context`, headers: bearer(registered), body: { ...scope, projectId: helpdesk.id }, expect: 200 });
    await run({ title: 'The new token is for the second product', method: 'GET', url: `${test.apiUrl}/v1/me/context`, headers: bearer(switched), expect: 200 });
    const refreshed = await run({ title: 'Access tokens are short-lived; the refresh token gives the next', method: 'POST', url: `${test.authUrl}/v1/sessions/refresh`, body: { refresh_token: registered['refresh_token'] }, expect: 200 });
    const management = await run({
      title: 'A back end gets a management token',
      method: 'POST',
      url: `${test.authUrl}/connect/token`,
      headers: { authorization: `Basic ${Buffer.from(`${encodeURIComponent(test.managementClientId)}:${encodeURIComponent(test.managementClientSecret)}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', ...scope, projectId: shop.id }),
      expect: 200,
    });
    const members = await run({ title: 'and finds the customer among the members', method: 'GET', url: `${test.apiUrl}/v1/admin/members?q=${encodeURIComponent(email)}`, headers: bearer(management), expect: 200 });
    await run({ title: 'The back end ends all sessions of the member', method: 'POST', url: `${test.apiUrl}/v1/admin/members/${firstId(members)}/sessions/revoke`, headers: bearer(management), expect: 200 });
    await run({ title: 'The token that worked a moment ago is refused', method: 'GET', url: `${test.apiUrl}/v1/me/context`, headers: bearer(refreshed), expect: 401 });
    await run({ title: 'Is everything well?', method: 'GET', url: `${test.apiUrl}/api/status/summary`, expect: 200 });
    process.stdout.write('\nThat was the whole story. Addresses and credentials to go on with stand in demo.json.\n');
  });
}

async function readDemo(path: string): Promise<Demo> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new Error(`Found no demo at ${path}. Start Latchkey first, in another terminal: npm start`, { cause: error });
  }
}

function bearer(answer: Json): Record<string, string> {
  return { authorization: `Bearer ${String(answer['access_token'])}` };
}

function firstId(list: Json): string {
  const [first] = Array.isArray(list['items']) ? list['items'] : [];
  return String(Object(first)['id']);
}

async function run(step: Step): Promise<Json> {
  const { body, method } = step;
  const form = body instanceof URLSearchParams;
  const payload = body === undefined ? null : form ? body.toString() : JSON.stringify(body);
  process.stdout.write(`\n— ${step.title}\n\n  ${method} ${step.url}\n${payload === null ? '' : `  ${shorten(decodeURIComponent(payload))}\n`}`);
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
  const response = await fetch(step.url, { method, headers: { ...step.headers, ...(payload !== null && { 'content-type': type }) }, body: payload });
  const answer: unknown = await response.json();
  process.stdout.write(`\n  ${response.status}\n${indent(JSON.stringify(answer, null, 2).split('\n').map(shorten).join('\n'))}\n`);
  if (response.status !== step.expect) throw new Error(`Expected ${step.expect}, received ${response.status}.`);
  return Object(answer);
}

/** Tokens are long and say nothing to the eye. */
function shorten(line: string): string {
  return line.replace(/(ey[A-Za-z0-9_-]{12}|lkr_[a-z0-9]{8}_[A-Za-z0-9_-]{4})[A-Za-z0-9._-]{20,}/g, '$1…');
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}

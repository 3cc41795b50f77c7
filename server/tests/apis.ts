import assert from 'node:assert/strict';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type * as client from 'openid-client';
import { ownerToken, PASSWORD, type TestLatchkey, type TestResponse } from './harness.ts';
import { type Browser, browserOf, type CodeFlow, codeFlow } from './oidc.ts';

/** Where applications of {@link newApplication} are returned to. */
export const REDIRECT = 'http://localhost:5173/callback';
/** The scopes of {@link newApi}. */
export const READ = { name: 'orders:read', description: 'See your orders' };
export const REFUND = { name: 'orders:refund', description: '' };

/** Calls the admin API as the project's owner. */
export async function admin(
  latchkey: TestLatchkey,
  path: string,
  { method, body }: { method?: string; body?: unknown } = {},
): Promise<TestResponse['body']> {
  const token = await ownerToken(latchkey);
  const sent = { token, ...(method !== undefined && { method }), ...(body !== undefined && { body }) };
  const response = await latchkey.api(`/v1/admin/${path}`, sent);
  assert.ok(response.status < 300, response.text);
  return response.body;
}

export type TestApi = { id: string; identifier: string };
let made = 0;

export function newApi(latchkey: TestLatchkey, more: Record<string, unknown> = {}): Promise<TestApi> {
  made += 1;
  const identifier = `https://orders-${made}.example`;
  return admin(latchkey, 'apis', { body: { identifier, name: 'Orders', scopes: [READ, REFUND], ...more } });
}

export type TestApplication = { id: string; clientId: string; secret: string | null };

export function newApplication(latchkey: TestLatchkey, more: Record<string, unknown> = {}): Promise<TestApplication> {
  return admin(latchkey, 'applications', {
    body: { kind: 'web', name: 'Partner', redirectUris: [REDIRECT], ...more },
  });
}

/** A machine that may use an API with these scopes. */
export function newMachine(
  latchkey: TestLatchkey,
  { identifier }: TestApi,
  ...machineScopes: string[]
): Promise<TestApplication> {
  const apis = [{ identifier, machineScopes }];
  return newApplication(latchkey, { kind: 'management', redirectUris: [], apis });
}

export const grantOf = ({ identifier }: TestApi, ...scopes: string[]) => ({ identifier, scopes });

export type Asked = { parameters: Record<string, string>; browser?: Browser };

/** Opens an authorization request in a browser, and signs the person in if needed. */
export async function authorize(
  latchkey: TestLatchkey,
  { clientId, secret }: TestApplication,
  person: { email: string },
  { parameters, browser = browserOf(latchkey) }: Asked,
) {
  const flow = await codeFlow(latchkey, parameters, { clientId, secret: secret ?? undefined });
  const entry = await browser.open(flow.url);
  const page = entry.text.includes('name="identifier"')
    ? await browser.submit(entry, { identifier: person.email, password: PASSWORD })
    : entry;
  return { flow, page, browser };
}

type Obtained = {
  configuration: client.Configuration;
  tokens: Awaited<ReturnType<CodeFlow['finish']>>;
  browser: Browser;
};

/** The tokens after a sign-in with full consent. */
export async function tokensFor(
  latchkey: TestLatchkey,
  application: TestApplication,
  person: { email: string },
  asked: Asked,
): Promise<Obtained> {
  const { flow, page, browser } = await authorize(latchkey, application, person, asked);
  const back = page.url.startsWith(REDIRECT) ? page : await browser.submit(page, { decision: 'allow' });
  return { configuration: flow.configuration, tokens: await flow.finish(back), browser };
}

/** Asks for a token with the client's secret. */
export function machineToken(
  latchkey: TestLatchkey,
  { clientId, secret }: TestApplication,
  parameters: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  const credentials = { client_id: clientId, client_secret: secret ?? '' };
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...credentials, ...parameters });
  return latchkey.auth('/connect/token', { headers, body });
}

/** A token of a machine that is bound to a key (RFC 9449 §5): it is no bearer token. */
export async function boundToken(
  latchkey: TestLatchkey,
  machine: TestApplication,
  parameters: Record<string, string>,
): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const htu = `${latchkey.system.config.addresses.test.auth}/connect/token`;
  const dpop = await new SignJWT({ jti: crypto.randomUUID(), htm: 'POST', htu })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: await exportJWK(publicKey) })
    .setIssuedAt()
    .sign(privateKey);
  const { body } = await machineToken(latchkey, machine, parameters, { dpop });
  assert.equal(body.token_type, 'DPoP');
  return body.access_token;
}

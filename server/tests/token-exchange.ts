import assert from 'node:assert/strict';
import * as client from 'openid-client';
import { managementToken, ownerToken, register, type TestLatchkey, type TestResponse } from './harness.ts';
import { type CodeFlow, codeFlow, signInOn } from './oidc.ts';

export const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
export const REDIRECT = 'http://localhost:5173/callback';
export const ORDERS = 'https://orders.example.com';
export const STOCK = 'https://stock.example.com';

/** Adds the APIs of the orders and the stock. */
export async function addApis(latchkey: TestLatchkey): Promise<void> {
  const token = await ownerToken(latchkey);
  const apis = [ORDERS, STOCK].map((identifier) => ({
    identifier,
    name: identifier,
    scopes: [],
  }));
  for (const body of apis) {
    // biome-ignore lint/performance/noAwaitInLoops: two requests
    const { status, text } = await latchkey.api('/v1/admin/apis', { token, body });
    assert.equal(status, 201, text);
  }
}

const grantsOf = (...identifiers: string[]) => identifiers.map((identifier) => ({ identifier }));

export type Application = { id: string; clientId: string; secret: string };

type SignedIn = {
  person: TestResponse['body'] & { email: string };
  flow: CodeFlow;
  tokens: client.TokenEndpointResponse;
};

export async function addApplication(latchkey: TestLatchkey, body: Record<string, unknown>): Promise<Application> {
  const token = await managementToken(latchkey);
  const response = await latchkey.api('/v1/admin/applications', { token, body });
  assert.equal(response.status, 201, response.text);
  return response.body;
}

/** An application that people sign in to, which may ask for tokens of the orders service. */
export function addShop(latchkey: TestLatchkey, more: Record<string, unknown> = {}): Promise<Application> {
  return addApplication(latchkey, {
    kind: 'web',
    name: 'Shop',
    redirectUris: [REDIRECT],
    apis: grantsOf(ORDERS),
    ...more,
  });
}

/** A back end that may act for people at the stock service. */
export function addBackEnd(latchkey: TestLatchkey, more: Record<string, unknown> = {}): Promise<Application> {
  return addApplication(latchkey, {
    kind: 'web',
    name: 'Orders',
    redirectUris: [REDIRECT],
    apis: grantsOf(STOCK, ORDERS),
    grants: ['authorization_code', 'refresh_token', EXCHANGE],
    ...more,
  });
}

/** A new person who signed in to an application. */
export async function signedIn(
  latchkey: TestLatchkey,
  application: Application,
  parameters: Record<string, string> = {},
): Promise<SignedIn> {
  const person = await register(latchkey);
  const flow = await codeFlow(latchkey, parameters, application);
  return { person, flow, tokens: await flow.finish(await signInOn(latchkey, flow, person)) };
}

/** {@link signedIn}, with a token for the orders service. */
export async function signedInForOrders(
  latchkey: TestLatchkey,
  application: Application,
  scope = 'openid profile',
): Promise<SignedIn> {
  const { person, flow, tokens } = await signedIn(latchkey, application, { resource: ORDERS, scope });
  const refresh = tokens.refresh_token ?? '';
  return { person, flow, tokens: await client.refreshTokenGrant(flow.configuration, refresh, { resource: ORDERS }) };
}

/** Asks the token endpoint, as an application, for a token of the stock service; `more` replaces parameters. */
export function exchange(
  latchkey: TestLatchkey,
  { clientId, secret }: Application,
  subject: string,
  more: Record<string, string | undefined> = {},
): Promise<TestResponse> {
  const fields = {
    grant_type: EXCHANGE,
    subject_token: subject,
    subject_token_type: ACCESS_TOKEN,
    resource: STOCK,
    ...more,
  };
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) body.set(name, value);
  const authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
  return latchkey.auth('/connect/token', { body, headers: { authorization } });
}

export function expectRefusal({ status, body, text }: TestResponse, error: string): void {
  assert.equal(status, error === 'invalid_client' ? 401 : 400, text);
  assert.equal(body.error, error, text);
}

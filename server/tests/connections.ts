import assert from 'node:assert/strict';
import { managementToken, ownerToken, PKCE, type TestLatchkey, type TestResponse } from './harness.ts';
import type { Issuer } from './issuer.ts';
import { type Browser, browserOf } from './oidc.ts';

const REDIRECT = 'http://localhost:5173/callback';
let companies = 0;

/** An organization with a verified mail domain and a connection that is disabled, and its administration. */
export async function newCompany(latchkey: TestLatchkey, oidc: Record<string, unknown> = {}) {
  const token = await ownerToken(latchkey);
  const call = async (path: string, method: string, body?: unknown): Promise<TestResponse> =>
    latchkey.api(`/v1/admin/organizations${path}`, { token, method, ...(body !== undefined && { body }) });
  const created = async (path: string, body: unknown): Promise<string> => {
    const response = await call(path, 'POST', body);
    assert.equal(response.status, 201, response.text);
    return response.body.id;
  };
  companies += 1;
  const organizationId = await created('', { name: `Company ${companies}` });
  const host = `company${companies}.${organizationId.slice(-6)}.example`;
  const domainId = await created(`/${organizationId}/domains`, { host });
  // The proof by DNS has tests of its own.
  await latchkey.system.pool.query(
    `update organization_domains set status = 'verified', verified_at = now() where id = $1`,
    [domainId],
  );
  const configuration = { issuer: 'https://login.company.example', clientId: 'latchkey', ...oidc };
  const connectionId = await created(`/${organizationId}/connections`, {
    name: `IdP ${companies}`,
    oidc: configuration,
  });
  const path = `/${organizationId}/connections/${connectionId}`;
  return {
    organizationId,
    host,
    connectionId,
    newEmail: (): string => `${crypto.randomUUID()}@${host}`,
    change: async (changes: Record<string, unknown>): Promise<void> => {
      const response = await call(path, 'PATCH', changes);
      assert.equal(response.status, 200, response.text);
    },
    remove: async (): Promise<void> => {
      assert.equal((await call(path, 'DELETE')).status, 204);
    },
    call: (below: string, method = 'GET', body?: unknown) => call(`/${organizationId}${below}`, method, body),
    members: async (): Promise<{ userId: string; email: string | null; roles: string[] }[]> => {
      const list = await latchkey.api(`/v1/admin/organizations/${organizationId}/members`, {
        token: await managementToken(latchkey),
      });
      return list.body.items;
    },
  };
}
export type Company = Awaited<ReturnType<typeof newCompany>>;

/** The address at which a sign-in through a connection starts. */
export function startOf(latchkey: TestLatchkey, connectionId: string, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    clientId: latchkey.demo.environments.test.clientId,
    redirectUri: REDIRECT,
    codeChallenge: PKCE.codeChallenge,
    ...more,
  });
  return `${latchkey.system.config.addresses.test.auth}/v1/auth/login/connections/${connectionId}/start?${query}`;
}

type Claims = Issuer['claims'];

/** Sends a browser to the identity provider of a connection, where the person signs in. */
export async function leaveThrough(
  latchkey: TestLatchkey,
  upstream: Issuer,
  { connectionId, claims, browser = browserOf(latchkey) }: { connectionId: string; claims: Claims; browser?: Browser },
) {
  upstream.claims = claims;
  const there = await browser.open(startOf(latchkey, connectionId));
  assert.ok(there.url.startsWith(upstream.issuer), `${there.url} ${there.text}`);
  const approved = upstream.approve(there.url);
  const { auth } = latchkey.system.config.addresses.test;
  /** Returns to the callback address of a connection. */
  const back = async (to = connectionId, as = browser) => {
    const page = await as.open(`${auth}/v1/auth/login/connections/${to}/callback?${new URLSearchParams(approved)}`);
    const { searchParams } = new URL(page.url);
    return { ...page, code: searchParams.get('code'), error: searchParams.get('error') };
  };
  return { back, approved };
}

export function exchange(latchkey: TestLatchkey, code: string | null, more: Record<string, unknown> = {}) {
  return latchkey.auth('/v1/auth/login/social/exchange', { body: { code, codeVerifier: PKCE.codeVerifier, ...more } });
}

/** Signs a person in through a connection, from start to end. */
export async function signInThrough(
  latchkey: TestLatchkey,
  upstream: Issuer,
  { connectionId, claims }: { connectionId: string; claims: Claims },
): Promise<TestResponse> {
  const { back } = await leaveThrough(latchkey, upstream, { connectionId, claims });
  const { code, url, text } = await back();
  assert.ok(code, `${url} ${text}`);
  return exchange(latchkey, code);
}

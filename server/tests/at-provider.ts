import assert from 'node:assert/strict';
import { createProvider } from '#identity-providers';
import { PKCE, type register, type TestLatchkey, type TestResponse } from './harness.ts';
import { type Issuer, startIssuer } from './issuer.ts';
import { type Browser, browserOf } from './oidc.ts';

export const REDIRECT = 'http://localhost:5173/callback';
export const LINKS = '/v1/me/linked-identities';

export type Person = Awaited<ReturnType<typeof register>>;
type Signed = Pick<Person, 'access_token'>;

/** A provider `employer` for the demo's project, and the sign-ins of people there. */
export async function startEmployer(latchkey: TestLatchkey) {
  const upstream = await startIssuer();
  const { auth } = latchkey.system.config.addresses.test;
  const { clientId } = latchkey.demo.environments.test;
  const options = { issuer: upstream.issuer };
  const provider = {
    preset: 'oidc',
    key: 'employer',
    name: 'Employer',
    clientId: 'shop',
    clientSecret: 'secret',
    options,
  } as const;
  await latchkey.inProject((tx) => createProvider(tx, provider));

  const exchange = (code: string | null, more: Record<string, unknown> = {}): Promise<TestResponse> =>
    latchkey.auth('/v1/auth/login/social/exchange', { body: { code, codeVerifier: PKCE.codeVerifier, ...more } });

  /**
   * Visits the provider and returns, in one browser.
   * @returns the code at the redirect URI
   */
  async function visit(browser: Browser, url: string, claims: Issuer['claims']): Promise<string> {
    upstream.claims = claims;
    const there = await browser.open(new URL(url, auth).href);
    assert.ok(there.url.startsWith(upstream.issuer), `${there.url} ${there.text}`);
    const path = new URL(url, auth).pathname.replace(/start$/, 'callback');
    const back = await browser.open(`${auth}${path}?${new URLSearchParams(upstream.approve(there.url))}`);
    const code = new URL(back.url).searchParams.get('code');
    assert.ok(code, `${back.url} ${back.text}`);
    return code;
  }

  const start = (asked: Record<string, string> = { clientId, codeChallenge: PKCE.codeChallenge }) =>
    `/v1/auth/login/social/employer/start?${new URLSearchParams({ redirectUri: REDIRECT, ...asked })}`;

  /** The address at which a signed-in person starts to link. */
  async function beginLinking({ access_token: token }: Signed): Promise<string> {
    const begun = await latchkey.api(LINKS, { token, body: { provider: 'employer', clientId, redirectUri: REDIRECT } });
    assert.equal(begun.status, 200, begun.text);
    return begun.body.url;
  }

  return {
    upstream,
    clientId,
    exchange,
    visit,
    start,
    beginLinking,
    /** A code of a new person at the provider. */
    fresh: () => visit(browserOf(latchkey), start(), { sub: crypto.randomUUID() }),
    links: async ({ access_token: token }: Signed): Promise<unknown[]> =>
      (await latchkey.api(LINKS, { token })).body.items,
    stop: () => upstream.stop(),
  };
}
export type Employer = Awaited<ReturnType<typeof startEmployer>>;

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { ENTRANCES } from '#admission';
import { issueExchangeCode } from '#exchange';
import { createProvider } from '#identity-providers';
import { softwareAuthenticator } from '#tests/authenticator.ts';
import {
  changeSettings,
  expectProblem,
  mailedCode,
  mailedToken,
  managementToken,
  newEmail,
  PASSWORD,
  PKCE,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { CHECKS, type Check, Passage, WAYS, type Way } from './ways.ts';

const isWay = (name: string): name is Way => name in WAYS;
const isCheck = (name: string): name is Check => name in CHECKS;
const ways = Object.keys(WAYS).filter(isWay);
const checks = Object.keys(CHECKS).filter(isCheck);
const request = {
  trace: { correlationId: '', traceId: '', ip: null, userAgent: null, country: null, languages: null },
};
const rowOf = (way: Way): { entrance?: string; method?: string; checks: readonly Check[] } => WAYS[way];
const having = (check: Check) => ways.filter((way) => rowOf(way).checks.includes(check));

describe('the table of the ways in', () => {
  for (const way of ways) {
    const row = rowOf(way).checks;
    test(`${way}: ends after ${row.join(', ')}`, () => {
      const passage = new Passage(request, way);
      for (const check of row) passage.passed(check, true);
      passage.end();
      if (row.includes('admission')) assert.equal(passage.entrance(), rowOf(way).entrance);
    });

    for (const check of row)
      test(`${way}: does not end without ${check}`, () => {
        const passage = new Passage(request, way);
        const goOn = () => {
          for (const other of row) if (other !== check) passage.passed(other, true);
          passage.end();
        };
        assert.throws(goOn, /is not ready for|ends before/);
        if (check !== 'admission') assert.throws(() => passage.entrance(), /is not ready for|leads to no session/);
      });

    test(`${way}: has no other check`, () => {
      for (const check of checks)
        if (!row.includes(check))
          assert.throws(() => new Passage(request, way).passed(check, true), /is not ready for/, check);
    });
  }

  test('a check that failed does not count as passed', () => {
    for (const found of [false, null]) {
      const passage = new Passage(request, 'switch_context');
      assert.equal(passage.passed('credential', found), found);
      assert.throws(() => passage.entrance(), /is not ready for "admission"/);
    }
  });

  test('names every entrance, except those that only check a session of the browser or renew a token of the OpenID provider', () => {
    const found = new Set(ways.map((way) => rowOf(way).entrance));
    assert.deepEqual(
      Object.keys(ENTRANCES).filter((entrance) => !found.has(entrance)),
      ['authorize', 'account_page', 'console', 'oidc_token'],
    );
  });

  test('is shown in the security model', async () => {
    const page = await readFile(new URL('../../docs/security-model.md', import.meta.url), 'utf8');
    const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
    const places = (way: Way) => checks.map((check) => String(rowOf(way).checks.indexOf(check) + 1).replace('0', ''));
    const table = [
      line(['Way', ...checks.map((check) => `\`${check}\``)]),
      `|${'---|'.repeat(checks.length + 1)}`,
      ...ways.map((way) => line([`\`${way}\``, ...places(way)])),
    ];
    const meanings = [
      '| Check | What holds |',
      '|---|---|',
      ...checks.map((check) => line([`\`${check}\``, CHECKS[check]])),
    ];
    assert.equal(tableIn(page, 'ways'), table.join('\n'));
    assert.equal(tableIn(page, 'checks'), meanings.join('\n'));
  });
});

function tableIn(page: string, name: string): string | undefined {
  return new RegExp(`<!-- table: ${name} -->\\n+([\\s\\S]*?)\\n+<!-- /table -->`).exec(page)?.[1];
}

describe('every way makes the checks of its row before anything else', () => {
  let latchkey: TestLatchkey;
  let providerId: string;
  const REDIRECT = 'http://localhost:5173/callback';
  const METHODS = ['password', 'magic_link', 'email_code', 'phone', 'passkey', 'social'];
  const sent = { flowId: 'flw_01h2xcejqtf2nbrexx3vqjhp41', code: '12345678' };
  const post = (path: string, body: object) => latchkey.auth(path, { body });

  before(async () => {
    latchkey = await startTestLatchkey();
    const provider = await latchkey.inProject((tx) =>
      createProvider(tx, {
        preset: 'oidc',
        key: 'employer',
        name: 'Employer',
        clientId: 'shop',
        clientSecret: 'secret',
        options: { issuer: 'https://employer.example' },
      }),
    );
    providerId = provider.id;
  });
  after(() => latchkey.stop());

  const binding = { clientId: null, codeChallenge: PKCE.codeChallenge };
  const identityOf = (email: string) => ({
    provider: 'employer',
    issuer: 'https://employer.example',
    subject: email,
    email,
    emailVerified: true,
    name: null,
    givenName: null,
    familyName: null,
  });

  /** An exchange code, as issued by a sign-in at the provider, a linking or a clicked link. */
  const codeFor = (purpose: 'upstream' | 'link' | 'address', content: Record<string, unknown>) =>
    latchkey.inProject((tx) => issueExchangeCode(tx, { purpose, content, userId: null, seconds: 60 }));
  const exchange = (code: string) => post('/v1/auth/login/social/exchange', { code, codeVerifier: PKCE.codeVerifier });

  /**
   * Ways whose proof exists before the method is disabled, or registration is closed.
   * @returns a function that finishes the way
   */
  const BEGUN: Partial<Record<Way, () => Promise<() => Promise<TestResponse>>>> = {
    exchanged_link: async () => {
      const content = { channel: 'email', address: newEmail(), userId: null, begunAs: null, binding };
      const code = await codeFor('address', content);
      return () => exchange(code);
    },
    social: async () => {
      const code = await codeFor('upstream', { identity: identityOf(newEmail()), binding, linkTo: null });
      return () => exchange(code);
    },
    linking: async () => {
      const { access_token: token, session, email } = await register(latchkey);
      const linkTo = { userId: session.userId, sessionId: session.id };
      const code = await codeFor('link', { identity: identityOf(email), binding, linkTo });
      return () => latchkey.api('/v1/me/linked-identities', { token, body: { code } });
    },
    verified_registration: async () => {
      const email = newEmail();
      const { body } = await post('/v1/auth/register', { email });
      const proof = { flowId: body.flowId, code: await mailedCode(latchkey, email) };
      return () => post('/v1/auth/email/verify', proof);
    },
    password_reset: async () => {
      const { email } = await register(latchkey);
      assert.equal((await post('/v1/auth/password/forgot', { identifier: email })).status, 202);
      const token = await mailedToken(latchkey, email);
      return () => post('/v1/auth/password/reset', { token, newPassword: `${PASSWORD} anew` });
    },
    password_reset_sent: async () => {
      const { email } = await register(latchkey);
      const token = await managementToken(latchkey);
      const { body } = await latchkey.api(`/v1/admin/members?q=${encodeURIComponent(email)}`, { token });
      const path = `/v1/admin/members/${body.items[0].id}/reset-password`;
      return () => latchkey.api(path, { token, method: 'POST' });
    },
    verified_identity: async () => {
      const { email } = await register(latchkey);
      const asked = await exchange(await codeFor('upstream', { identity: identityOf(email), binding, linkTo: null }));
      assert.equal(asked.body.status, 'verification_required', asked.text);
      const proof = { flowId: asked.body.flowId, code: await mailedCode(latchkey, email) };
      return () => post('/v1/auth/email/verify', proof);
    },
  };

  /** Starts a way, up to its first checks. */
  const CALLS: Partial<Record<Way, () => Promise<TestResponse>>> = {
    password: () => post('/v1/auth/login/password', { identifier: newEmail(), password: PASSWORD }),
    magic_link_asked: () => post('/v1/auth/login/magic-link', { email: newEmail() }),
    magic_link: () => post('/v1/auth/login/magic-link/verify', sent),
    email_code_asked: () => post('/v1/auth/login/email-code', { email: newEmail() }),
    email_code: () => post('/v1/auth/login/email-code/verify', sent),
    phone_code_asked: () => post('/v1/auth/login/phone', { phone: '+4915112312312' }),
    phone_code: () => post('/v1/auth/login/phone/verify', sent),
    passkey_asked: () => post('/v1/auth/login/passkey/options', {}),
    passkey: async () => {
      const key = softwareAuthenticator(latchkey.system.config.addresses.test.auth);
      const response = key.get({ challenge: 'A'.repeat(43), rpId: 'localhost' }, { userHandle: 'A' });
      return post('/v1/auth/login/passkey/verify', { flowId: 'chl_01h2xcejqtf2nbrexx3vqjhp41', response });
    },
    social_asked: () => {
      const { clientId } = latchkey.demo.environments.test;
      const query = new URLSearchParams({ clientId, redirectUri: REDIRECT, codeChallenge: PKCE.codeChallenge });
      return latchkey.auth(`/v1/auth/login/social/employer/start?${query}`);
    },
    linking_asked: async () => {
      const { access_token: token } = await register(latchkey);
      const { clientId } = latchkey.demo.environments.test;
      const body = { provider: 'employer', redirectUri: REDIRECT, clientId };
      const { url } = (await latchkey.api('/v1/me/linked-identities', { token, body })).body;
      return latchkey.auth(url.slice(url.indexOf('/v1/')));
    },
    registration: () => post('/v1/auth/register', { email: newEmail(), password: PASSWORD }),
    invited_registration: () => {
      const invitationToken = `lki_aaaaaaaa_${'a'.repeat(43)}`;
      return post('/v1/auth/register', { password: PASSWORD, invitationToken });
    },
    password_forgotten: () => post('/v1/auth/password/forgot', { identifier: newEmail() }),
  };

  async function callOf(way: Way): Promise<TestResponse> {
    const call = CALLS[way];
    assert.ok(call, `a call of ${way}`);
    return call();
  }

  async function begin(way: Way): Promise<() => Promise<TestResponse>> {
    await changeSettings(latchkey, { signInMethods: METHODS, proofOfWork: 'off' });
    return (await BEGUN[way]?.()) ?? (() => callOf(way));
  }

  for (const way of having('method'))
    test(`${way}: a disabled method`, async () => {
      const finish = await begin(way);
      await changeSettings(latchkey, { signInMethods: METHODS.filter((method) => method !== rowOf(way).method) });
      expectProblem(await finish(), 403, 'METHOD_DISABLED');
    });

  describe('a disabled or removed identity provider', () => {
    async function enable(enabled: boolean): Promise<void> {
      const path = `/v1/admin/identity-providers/${providerId}`;
      const changed = await latchkey.api(path, {
        method: 'PATCH',
        token: await managementToken(latchkey),
        body: { enabled },
      });
      assert.equal(changed.status, 200, changed.text);
    }

    for (const way of ['social', 'linking', 'verified_identity'] as const)
      test(way, async () => {
        const finish = await begin(way);
        await enable(false);
        expectProblem(await finish(), 403, 'METHOD_DISABLED');
        await enable(true);
        assert.ok((await finish()).status < 300, 'a refused proof is not spent');
      });
  });

  for (const way of having('puzzle'))
    test(`${way}: an unsolved puzzle`, async () => {
      await changeSettings(latchkey, { signInMethods: METHODS, proofOfWork: 'required' });
      const response = await callOf(way);
      expectProblem(response, 400, 'VALIDATION_FAILED');
      assert.equal(response.body.errors[0].pointer, '/body/proof');
    });

  for (const way of having('registration'))
    test(`${way}: a project that is closed for registration`, async () => {
      const finish = await begin(way);
      await changeSettings(latchkey, { registration: 'closed' });
      expectProblem(await finish(), 403, 'REGISTRATION_CLOSED');
      await changeSettings(latchkey, { registration: 'open' });
    });
});

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import * as client from 'openid-client';
import {
  expectProblem,
  mailedToken,
  managementToken,
  ownerToken,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { type Browser, browserOf, type CodeFlow, codeFlow } from '#tests/oidc.ts';

const REDIRECT = 'http://localhost:5173/callback';

let latchkey: TestLatchkey;
let admin: string;
before(async () => {
  latchkey = await startTestLatchkey();
  admin = await managementToken(latchkey);
});
after(() => latchkey.stop());

type Session = TestResponse['body'];

/** A person signed in to a first-party application, and everything obtained through it. */
type Obtained = {
  person: Session & { email: string };
  application: { id: string; clientId: string; secret: string };
  flow: CodeFlow;
  browser: Browser;
  callback: string;
  tokens: Awaited<ReturnType<CodeFlow['finish']>>;
  /** Sessions: for the token; from that one, in another project after a reauthentication; and back from there. */
  sessions: [here: Session, again: Session, returned: Session];
};

async function addApplication(): Promise<Obtained['application']> {
  const body = {
    kind: 'web',
    name: 'Back office',
    redirectUris: [REDIRECT],
    postLogoutRedirectUris: ['http://localhost:5173/bye'],
  };
  const { status, body: added, text } = await latchkey.api('/v1/admin/applications', { token: admin, body });
  assert.equal(status, 201, text);
  return added;
}

const inProject = (index: number) => ({
  workspaceId: latchkey.demo.workspaceId,
  projectId: latchkey.demo.projects[index]?.id,
  environment: 'test',
});

/** The session for a token, in the first or the second project of the demo. */
async function switchTo(index: number, token: string): Promise<Session> {
  const response = await latchkey.auth('/v1/sessions/switch-context', { token, body: inProject(index) });
  assert.equal(response.status, 200, response.text);
  return response.body;
}

async function reauthenticated(token: string): Promise<Session> {
  const response = await latchkey.auth('/v1/auth/reauthenticate', { token, body: { password: PASSWORD } });
  assert.equal(response.status, 200, response.text);
  return response.body;
}

/** A member of both projects. */
async function memberOfBoth(): Promise<Obtained['person']> {
  const person = await register(latchkey);
  const joined = await latchkey.auth('/v1/auth/login/password', {
    body: { ...inProject(1), identifier: person.email, password: PASSWORD },
  });
  assert.equal(joined.status, 200, joined.text);
  return person;
}

async function obtain(
  known: { person?: Obtained['person']; browser?: Browser; elsewhere?: number } = {},
): Promise<Obtained> {
  const { person = await memberOfBoth(), browser = browserOf(latchkey) } = known;
  const application = await addApplication();
  const { clientId, secret } = application;
  const flow = await codeFlow(latchkey, {}, { clientId, secret });
  const page = await browser.open(flow.url);
  const back = page.url.startsWith(REDIRECT)
    ? page
    : await browser.submit(page, { identifier: person.email, password: PASSWORD });
  const tokens = await flow.finish(back);
  const here = await switchTo(0, tokens.access_token);
  const { elsewhere = 1 } = known;
  const there = await switchTo(elsewhere, here.access_token);
  const again = await reauthenticated(there.access_token);
  await assertDead(there);
  const returned = await switchTo(0, again.access_token);
  return {
    person,
    application,
    flow,
    browser,
    callback: back.url,
    tokens,
    sessions: [elsewhere === 0 ? returned : here, again, returned],
  };
}

const refreshed = (session: Session) =>
  latchkey.auth('/v1/sessions/refresh', { body: { refresh_token: session.refresh_token } });
const looked = (session: Session) => latchkey.api('/v1/me/context', { token: session.access_token });

async function assertAlive(session: Session): Promise<void> {
  const responses = [await looked(session), await refreshed(session)];
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200],
    responses.map(({ text }) => text).join(),
  );
}

async function assertDead(session: Session): Promise<void> {
  expectProblem(await looked(session), 401, 'SESSION_REVOKED');
  expectProblem(await refreshed(session), 401, 'SESSION_REVOKED');
}

const change = (id: string, body: Record<string, unknown>) =>
  latchkey.api(`/v1/admin/applications/${id}`, { token: admin, method: 'PATCH', body });

/** What ends a grant, as the security model lists it: the action, and its effect on the person's other sessions. */
const ENDINGS: Record<string, { end: (obtained: Obtained) => Promise<unknown>; others: string; alone?: true }> = {
  'the person takes the application’s access back': {
    end: async ({ person: { access_token: token }, application }) => {
      const path = `/v1/me/security/applications/${application.clientId}`;
      assert.equal((await latchkey.api(path, { token, method: 'DELETE' })).status, 204);
    },
    others: 'go on',
  },
  'the application is switched off': {
    end: async ({ application: { id } }) => {
      assert.equal((await change(id, { enabled: false })).status, 200);
      assert.equal((await change(id, { enabled: true })).status, 200);
    },
    others: 'go on',
  },
  'the application is removed': {
    end: ({ application: { id } }) => latchkey.api(`/v1/admin/applications/${id}`, { token: admin, method: 'DELETE' }),
    others: 'go on',
  },
  'the application is made third party': {
    end: async ({ application: { id } }) => {
      assert.equal((await change(id, { firstParty: false })).status, 200);
      assert.equal((await change(id, { firstParty: true })).status, 200);
    },
    others: 'go on',
  },
  'a refresh token of the provider is used again after its successor': {
    end: async ({ flow, tokens }) => {
      const next = await client.refreshTokenGrant(flow.configuration, tokens.refresh_token ?? '');
      await client.refreshTokenGrant(flow.configuration, next.refresh_token ?? '');
      await assert.rejects(client.refreshTokenGrant(flow.configuration, tokens.refresh_token ?? ''));
    },
    others: 'go on',
  },
  'an authorization code is used twice': {
    end: ({ flow, callback }) => assert.rejects(flow.finish({ url: callback, status: 0, text: '' })),
    others: 'go on',
  },
  'the application revokes its refresh token': {
    end: ({ flow, tokens }) => client.tokenRevocation(flow.configuration, tokens.refresh_token ?? ''),
    others: 'go on',
  },
  'the application revokes its access token': {
    end: ({ flow, tokens }) => client.tokenRevocation(flow.configuration, tokens.access_token),
    others: 'go on',
  },
  'the session is ended, by its person or an administrator': {
    end: async ({ person: { access_token: token }, sessions: [{ session }] }) => {
      const path = `/v1/me/security/sessions/${session.id}`;
      assert.equal((await latchkey.api(path, { token, method: 'DELETE' })).status, 204);
    },
    others: 'go on',
  },
  'the person signs out at the provider': {
    end: async ({ flow, tokens, browser }) => {
      const url = client.buildEndSessionUrl(flow.configuration, { id_token_hint: tokens.id_token ?? '' });
      assert.match((await browser.open(url.href)).text, /You are signed out/);
    },
    others: 'go on',
  },
  'the member is blocked in the project of the application': {
    end: async ({ person }) => {
      const { body } = await latchkey.api(`/v1/admin/members?q=${person.email}`, { token: admin });
      const path = `/v1/admin/members/${body.items[0].id}/block`;
      assert.equal((await latchkey.api(path, { token: admin, method: 'POST' })).status, 200);
    },
    others: 'end in this project',
  },
  'an administrator removes the person’s second factors': {
    end: async ({ person }) => {
      const { body } = await latchkey.api(`/v1/admin/members?q=${person.email}`, { token: admin });
      const path = `/v1/admin/members/${body.items[0].id}/reset-mfa`;
      const { status, text } = await latchkey.api(path, { token: admin, method: 'POST' });
      assert.equal(status, 204, text);
    },
    others: 'end',
    // An account in several projects can be changed by its person only.
    alone: true,
  },
};

describe('everything obtained through a grant ends when', () => {
  for (const [cause, { end, others, alone }] of Object.entries(ENDINGS)) {
    test(cause, async () => {
      const obtained = await obtain(alone && { person: await register(latchkey), elsewhere: 0 });
      for (const session of obtained.sessions) {
        // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
        assert.equal((await looked(session)).status, 200);
      }
      await end(obtained);
      for (const session of obtained.sessions) {
        // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
        await assertDead(session);
      }
      if (others === 'go on') await assertAlive(obtained.person);
      else await assertDead(obtained.person);
    });
  }

  test('each of the causes that the security model lists', async () => {
    const page = await readFile(new URL('../../../docs/security-model.md', import.meta.url), 'utf8');
    const table = page.split('<!-- table: grant endings -->')[1]?.split('<!-- /table -->')[0] ?? '';
    const listed = table.trim().split('\n').slice(2);
    assert.deepEqual(
      listed,
      Object.entries(ENDINGS).map(([cause, { others }]) => `| ${cause} | ${others} |`),
    );
  });
});

describe('descent', () => {
  test('belongs to the grant: what another application obtained in the same session continues', async () => {
    const one = await obtain();
    const other = await obtain({ person: one.person, browser: one.browser });
    assert.equal(one.sessions[0].session.id, other.sessions[0].session.id, 'one sign-in');
    await client.tokenRevocation(one.flow.configuration, one.tokens.refresh_token ?? '');
    await assertDead(one.sessions[1]);
    await assertAlive(other.sessions[1]);
    const again = await codeFlow(latchkey);
    assert.ok((await one.browser.open(again.url)).url.startsWith(REDIRECT), 'the browser stays signed in');
  });

  test('a switch that runs while the grant ends leaves nothing behind', async () => {
    for (let round = 0; round < 4; round += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: one round after the other
      const { flow, tokens, sessions } = await obtain();
      const [here] = sessions;
      const switches = Array.from({ length: 8 }, (_, index) =>
        latchkey.auth('/v1/sessions/switch-context', {
          token: index % 2 === 0 ? tokens.access_token : here.access_token,
          body: inProject(index % 4 < 2 ? 0 : 1),
        }),
      );
      const [responses] = await Promise.all([
        Promise.all(switches),
        client.tokenRevocation(flow.configuration, tokens.refresh_token ?? ''),
      ]);
      await Promise.all(
        responses.map(({ status, body, text }) =>
          status === 200 ? assertDead(body) : assert.equal(status, 401, text),
        ),
      );
    }
  });

  test('a token that has ended cannot reauthenticate', async () => {
    const { flow, tokens, sessions } = await obtain();
    await client.tokenRevocation(flow.configuration, tokens.refresh_token ?? '');
    const body = { password: PASSWORD };
    const response = await latchkey.auth('/v1/auth/reauthenticate', { token: sessions[2].access_token, body });
    expectProblem(response, 401, 'SESSION_REVOKED');
  });

  test('does not appear in events, and the project lists the session once', async () => {
    const { person, sessions } = await obtain();
    const { rows } = await latchkey.system.pool.query(
      `select count(*) from events where actor->>'userId' = $1 and actor ? 'descent'`,
      [person.session.userId],
    );
    assert.equal(Number(rows[0].count), 0);
    const { body } = await latchkey.api('/v1/admin/sessions', {
      token: await ownerToken(latchkey),
    });
    const listed = body.items.filter(({ id }: { id: string }) => id === sessions[0].session.id);
    assert.equal(listed.length, 1);
  });
});

describe('a code for a session', () => {
  const changes: [string, (id: string) => Promise<unknown>][] = [
    ['is switched off', (id) => change(id, { enabled: false })],
    ['is made third party', (id) => change(id, { firstParty: false })],
    ['is removed', (id) => latchkey.api(`/v1/admin/applications/${id}`, { token: admin, method: 'DELETE' })],
  ];
  for (const [cause, end] of changes) {
    test(`is invalid once the application it was issued to ${cause}, and so is the link that leads to one`, async () => {
      const { id, clientId } = await addApplication();
      const [first, second] = [await register(latchkey), await register(latchkey)];
      const click = async ({ email }: { email: string }) => {
        const token = await mailedToken(latchkey, email);
        return latchkey.auth('/link/sign-in', {
          body: new URLSearchParams({ token }),
          headers: { origin: latchkey.system.config.addresses.test.auth },
        });
      };
      for (const { email } of [first, second]) {
        const body = { email, clientId, redirectUri: REDIRECT };
        // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
        assert.equal((await latchkey.auth('/v1/auth/login/magic-link', { body })).status, 202);
      }
      const code = new URL((await click(first)).headers.get('location') ?? '').searchParams.get('code');
      assert.ok(code);
      await end(id);
      const exchanged = await latchkey.auth('/v1/auth/login/social/exchange', { body: { code } });
      expectProblem(exchanged, 400, 'INVALID_TOKEN');
      const late = await click(second);
      assert.equal(late.headers.get('location')?.startsWith(REDIRECT) ?? false, false);
    });
  }
});

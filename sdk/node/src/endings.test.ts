import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { after, before, beforeEach, describe, type TestContext, test } from 'node:test';
import { UnsecuredJWT } from 'jose';
import { systemClock } from '../../../server/platform/clock.ts';
import {
  eventually,
  managementToken,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '../../../server/tests/harness.ts';
import { followEndings, InvalidTokenError, liveSession, tokenVerifier } from './index.ts';

let latchkey: TestLatchkey;
let apiUrl: string;
let asked: string[] = [];
/** How far the clock of Latchkey is ahead: tokens may be from long after a verifier began. */
let aheadMs = 0;
const LONG_MS = 60_000;
before(async () => {
  const clock = { ...systemClock, now: () => new Date(Date.now() + aheadMs) };
  latchkey = await startTestLatchkey({ clock });
  apiUrl = latchkey.system.config.addresses.test.api;
});
after(() => latchkey.stop());
beforeEach(() => {
  asked = [];
  aheadMs += LONG_MS;
});

/** A verifier that follows the feed of the demo's first project, and notes what it asks about. */
function verifierOf(token = () => managementToken(latchkey)) {
  const ofSession = liveSession(apiUrl);
  const ask = (text: string) => {
    asked.push(text);
    return ofSession(text);
  };
  const { isLive, stop } = followEndings({ apiUrl, token, ask });
  const issuer = latchkey.system.config.addresses.test.auth;
  const projectId = latchkey.demo.projects[0]?.id ?? '';
  return { verify: tokenVerifier({ issuer, audience: apiUrl, projectId, isLive }), stop };
}

/** The token of a person who registered long after the feed began, so that it is not asked about. */
async function unaskedToken(verify: (token: string) => Promise<unknown>): Promise<string> {
  return eventually(async () => {
    const { access_token: token } = await register(latchkey);
    await verify(token);
    assert.ok(!asked.includes(token));
    return token;
  });
}

describe('a verifier that follows the feed', () => {
  test('asks about tokens from before it began, and about no others', async () => {
    aheadMs = 0;
    const { access_token: earlier } = await register(latchkey);
    aheadMs = LONG_MS;
    const { verify, stop } = verifierOf();
    const later = await unaskedToken(verify);
    asked = [];
    await verify(earlier);
    await verify(later);
    assert.deepEqual(asked, [earlier]);
    stop();
  });

  test('refuses the token of a session that ended, and still asks about no one else', async () => {
    const { verify, stop } = verifierOf();
    const [ended, other] = [await unaskedToken(verify), await unaskedToken(verify)];
    assert.equal((await latchkey.auth('/v1/sessions/logout', { token: ended, body: {} })).status, 204);
    await eventually(() => assert.rejects(verify(ended), InvalidTokenError));
    await verify(other);
    assert.ok(!asked.includes(other));
    stop();
  });

  test('asks about a token that was issued shortly after an ending, by a clock that may be ahead', async () => {
    const { verify, stop } = verifierOf();
    await unaskedToken(verify);
    const person = await register(latchkey);
    const { status } = await latchkey.auth('/v1/sessions/logout', { token: person.access_token, body: {} });
    assert.equal(status, 204);
    await eventually(() => assert.rejects(verify(person.access_token), InvalidTokenError));
    aheadMs += 5_000;
    const login = async () => {
      const { email: identifier } = person;
      const { body } = await latchkey.auth('/v1/auth/login/password', { body: { identifier, password: PASSWORD } });
      return body.access_token;
    };
    const soon = await login();
    aheadMs += LONG_MS;
    const later = await login();
    asked = [];
    await verify(soon);
    await verify(later);
    assert.deepEqual(asked, [soon]);
    stop();
  });

  test('asks about everyone when an application changed', async () => {
    const { verify, stop } = verifierOf();
    const token = await unaskedToken(verify);
    const created = await latchkey.api('/v1/admin/applications', {
      token: await managementToken(latchkey),
      body: { kind: 'management', name: 'Changed', permissions: [] },
    });
    assert.equal(created.status, 201, created.text);
    await eventually(async () => {
      await verify(token);
      assert.ok(asked.includes(token));
    });
    stop();
  });

  test('asks about everyone while the feed is not read', async (t) => {
    let isAway = true;
    const { verify, stop } = verifierOf(async () => {
      if (isAway) throw new Error('no token');
      return managementToken(latchkey);
    });
    const { access_token: token } = await register(latchkey);
    await verify(token);
    assert.deepEqual(asked, [token]);
    isAway = false;
    const later = await unaskedToken(verify);
    stop();
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 });
    await verify(later);
    assert.ok(asked.includes(later));
  });
});

describe('a process that is behind the feed', () => {
  const token = new UnsecuredJWT({ sub: 'usr_1', iat: Math.floor(Date.now() / 1000) + 3_600 }).encode();

  /** A feed whose responses the test sends, one for each request that waits. */
  async function feed(t: TestContext) {
    const waiting: ServerResponse[] = [];
    const server = createServer((_, response) => waiting.push(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { isLive, stop } = followEndings({
      apiUrl: `http://127.0.0.1:${Object(server.address()).port}`,
      token: async () => 'token',
      ask: async () => false,
    });
    t.after(() => {
      stop();
      server.closeAllConnections();
      server.close();
    });
    const asks = () => eventually(async () => assert.ok(waiting.length > 0));
    const respond = async (more: boolean) => {
      await asks();
      waiting.shift()?.end(JSON.stringify({ items: [], nextAfter: 1, more }));
      await asks();
    };
    return { isLive, respond };
  }

  test('asks about all tokens until it has read what there is', async (t) => {
    const { isLive, respond } = await feed(t);
    await respond(false);
    assert.equal(await isLive(token), true);
    await respond(true);
    assert.equal(await isLive(token), false);
    await respond(false);
    assert.equal(await isLive(token), true);
  });

  test('does not trust a response of before it was suspended', async (t) => {
    const { isLive, respond } = await feed(t);
    await respond(false);
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + LONG_MS });
    await respond(false);
    assert.equal(await isLive(token), false);
    await respond(false);
    assert.equal(await isLive(token), true);
  });
});

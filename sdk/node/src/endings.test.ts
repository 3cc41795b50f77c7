import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  eventually,
  managementToken,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '../../../server/tests/harness.ts';
import { followEndings, InvalidTokenError, liveSession, tokenVerifier } from './index.ts';

let latchkey: TestLatchkey;
let apiUrl: string;
let asked: string[] = [];
before(async () => {
  latchkey = await startTestLatchkey();
  apiUrl = latchkey.system.config.addresses.test.api;
});
after(() => latchkey.stop());
beforeEach(() => {
  asked = [];
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

/** The token of a person who registered after the feed began, so that it is not asked about. */
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
    const { access_token: earlier } = await register(latchkey);
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

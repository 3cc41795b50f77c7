import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as client from 'openid-client';
import { PASSWORD, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf, codeFlow } from '#tests/oidc.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

describe('signing in through the pages', () => {
  test('an application gets tokens for the person who signed in with a password', async () => {
    const { email, session } = await register(latchkey, { profile: { displayName: 'Ada Lovelace' } });
    const flow = await codeFlow(latchkey, { scope: 'openid profile email' });
    const browser = browserOf(latchkey);
    const page = await browser.open(flow.url);
    assert.match(page.text, /Sign in/);
    const back = await browser.submit(page, { identifier: email, password: PASSWORD });
    const tokens = await flow.finish(back);
    const claims = tokens.claims();
    assert.equal(claims?.sub, session.userId);
    assert.equal(claims?.['email'], email);
    assert.equal(claims?.['name'], 'Ada Lovelace');
    const info = await client.fetchUserInfo(flow.configuration, tokens.access_token, session.userId);
    assert.equal(info['email'], email);
  });
});

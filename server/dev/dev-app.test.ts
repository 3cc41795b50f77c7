import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newEmail, PASSWORD, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf } from '#tests/oidc.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ own: 'the application of development is one for the installation' });
});
after(() => latchkey.stop());

describe('the demo application', () => {
  test('a newcomer registers on the hosted pages, sees what an application gets, and signs out', async () => {
    const { console } = latchkey.system.config.addresses;
    const browser = browserOf(latchkey);
    const start = await browser.open(`${console}/`);
    assert.match(start.text, /href="\/dev\/app"/);
    const page = await browser.open(`${console}/dev/app`);
    const form = await browser.open(`${page.url}/register`);
    const email = newEmail();
    const done = await browser.submit(form, { email, password: PASSWORD, name: 'Ada' }, '/register');
    assert.match(done.text, /You are signed in/);
    assert.ok(done.text.includes(email));
    const signOut = /href="([^"]*\/connect\/logout[^"]*)"/.exec(done.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const back = await browser.open(signOut);
    assert.equal(back.url, `${console}/`);
    assert.match((await browser.open(`${console}/dev/app`)).url, /\/sign-in\//);
  });

  test('an unexpected visit of its callback is explained', async () => {
    const { status, text } = await latchkey.console('/dev/app/callback?code=x&state=y');
    assert.equal(status, 400);
    assert.match(text, /Not signed in/);
  });
});

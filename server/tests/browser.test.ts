import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { addAuthenticator, openBrowser } from '#tests/browser.ts';

describe('the browser of the tests', () => {
  let browser: Browser;
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>passkeys</title><h1>Passkeys</h1>');
  });
  let origin: string;
  before(async () => {
    browser = await openBrowser();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    origin = `http://localhost:${address.port}`;
  });
  after(async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
  });

  test('it opens a page', async () => {
    const page = await browser.newPage();
    await page.goto('data:text/html,<title>hi</title>');
    assert.equal(await page.title(), 'hi');
    await page.close();
  });

  test('it draws text', async () => {
    const page = await browser.newPage();
    await page.goto(origin);
    const drawn = await page.screenshot();
    await page.setContent('');
    assert.ok(drawn.length > (await page.screenshot()).length);
    await page.close();
  });

  test('transitions are off: a colour changes immediately', async () => {
    const page = await browser.newPage();
    await page.goto(origin);
    const colour = await page.evaluate(() => {
      const { document, getComputedStyle } = Object(globalThis);
      const { style } = document.body;
      style.cssText = 'transition: color 1000s; color: rgb(0, 0, 0)';
      getComputedStyle(document.body).getPropertyValue('color');
      style.color = 'rgb(255, 255, 255)';
      return getComputedStyle(document.body).getPropertyValue('color');
    });
    assert.equal(colour, 'rgb(255, 255, 255)');
    await page.close();
  });

  test('it creates a passkey with a virtual authenticator', async () => {
    const page = await browser.newPage();
    await page.goto(origin);
    const { cdp, authenticatorId } = await addAuthenticator(page);
    const options = {
      rp: { id: 'localhost', name: 'Latchkey' },
      user: { id: 'dXNlcg', name: 'ada@example.com', displayName: 'Ada' },
      challenge: 'Y2hhbGxlbmdlLWNoYWxsZW5nZQ',
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    };
    // As text, because the project's types cover Node.js and no page.
    const made: unknown = await page.evaluate(`(async () => {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)});
      return (await navigator.credentials.create({ publicKey })).toJSON();
    })()`);
    assert.ok(typeof made === 'object' && made !== null && 'id' in made && 'type' in made && 'response' in made);
    assert.equal(made.type, 'public-key');
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    assert.equal(credentials.length, 1);
    assert.equal(credentials[0]?.rpId, 'localhost');
    assert.equal(credentials[0]?.isResidentCredential, true);
    assert.equal(Buffer.from(credentials[0]?.credentialId, 'base64').toString('base64url'), made.id);
    await page.close();
  });
});

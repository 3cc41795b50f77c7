import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { type ConsoleApp, faultsOf, openConsole, said } from '#tests/console-app.ts';
import { PASSWORD, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf } from '#tests/oidc.ts';
import { freePort } from '#tests/ports.ts';

const METADATA = `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://payroll.example">
  <SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://payroll.example/acs" index="3"/>
  </SPSSODescriptor>
</EntityDescriptor>`;

let latchkey: TestLatchkey;
let browser: Browser;
let app: ConsoleApp;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey(), openBrowser()]);
  app = await openConsole(latchkey, browser);
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

test('an application’s protocol and token settings can be edited, with faults shown beside their fields', async () => {
  const { page, operator } = app;
  const body = { kind: 'web', name: 'Ledger', redirectUris: ['https://ledger.example/callback'] };
  const { body: made } = await operator.call('/console/v1/applications', { body });
  await app.open(`/applications/${made.id}`);
  await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
  await page.getByLabel(/^Access token lifetime: project default/).uncheck();
  await page.getByLabel('Access token lifetime', { exact: true }).fill('5');
  await page.getByLabel('Refresh tokens', { exact: true }).uncheck();
  await page.getByLabel('Back-channel logout address').fill('https://ledger.example/logout');
  await page.getByLabel('Require PKCE').uncheck();
  await page.getByRole('combobox', { name: 'Security profile' }).click();
  await page.getByRole('option', { name: /^FAPI 2.0/ }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('is needed for "fapi2"').waitFor();
  await page.getByText('is "required" for every kind but "web", and for "fapi2"').waitFor();
  await page.getByLabel('Require PKCE').check();
  const keys = page.getByLabel('Public keys');
  await keys.fill('{ "keys": ');
  await page.getByText('Not valid JSON.').waitFor();
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = { ...publicKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid: 'one' };
  await keys.fill(JSON.stringify({ keys: [key] }));
  assert.deepEqual(await faultsOf(page), []);
  await page.getByRole('button', { name: 'Save' }).click();
  await said(page, 'Application saved');
  const { body: saved } = await operator.call(`/console/v1/applications/${made.id}`);
  assert.deepEqual(
    [saved.accessTokenSeconds, saved.grants, saved.backchannelLogoutUri, saved.profile, saved.jwks.keys[0].kid],
    [300, ['authorization_code'], 'https://ledger.example/logout', 'fapi2', 'one'],
  );
});

test('an application by SAML is added by metadata and edited, with faults shown beside their fields', async () => {
  const { page, operator } = app;
  await app.open('/applications/new?kind=saml');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Payroll');
  const metadata = page.getByLabel('Metadata of the service provider');
  await metadata.fill('no XML');
  await page.getByRole('button', { name: 'Add application' }).click();
  await metadata.and(page.locator('[aria-invalid=true]')).waitFor();
  await metadata.fill(METADATA);
  await page.getByRole('button', { name: 'Add application' }).click();
  await page.getByRole('heading', { level: 1, name: 'Payroll' }).waitFor();
  const { items } = (await operator.call('/console/v1/applications?limit=100')).body;
  const { id } = items.find(({ kind }: { kind: string }) => kind === 'saml');
  await page.getByText(`urn:latchkey:application:${id}`).waitFor();
  await page.getByRole('table', { name: 'Signing keys' }).getByText('Signs', { exact: true }).waitFor();

  const consumers = page.getByLabel('Assertion consumer services');
  await consumers.fill('https://payroll.example/second\n\nhttps://payroll.example/acs\nnowhere\n');
  await page.getByLabel('Encrypt assertions').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await consumers.and(page.locator('[aria-invalid=true]')).waitFor();
  await page.getByText('needs an encryptionCertificate').waitFor();
  assert.equal(await page.getByLabel('Entity id').and(page.locator('[aria-invalid=true]')).count(), 0);
  assert.deepEqual(await faultsOf(page), []);
  await consumers.fill('https://payroll.example/second\n\nhttps://payroll.example/acs\n');
  await page.getByLabel('Encrypt assertions').uncheck();
  await page.getByRole('textbox', { name: 'Logout address' }).fill('https://payroll.example/logout');
  await page.getByLabel('Length of sessions there, in seconds').fill('3600');
  assert.deepEqual(await faultsOf(page), []);
  await page.getByRole('button', { name: 'Save' }).click();
  await said(page, 'Application saved');
  const { saml } = (await operator.call(`/console/v1/applications/${id}`)).body;
  const urls = saml.consumers.map(({ url }: { url: string }) => url);
  assert.deepEqual(urls, ['https://payroll.example/second', 'https://payroll.example/acs']);
  assert.deepEqual(saml.logout, { url: 'https://payroll.example/logout', binding: 'redirect' });
  assert.equal(saml.sessionSeconds, 3600);
});

test('a back end gets its permissions when it is added, and the page warns while it has none', async () => {
  const { page, operator } = app;
  await app.open('/applications/new?kind=management');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Ledger sync');
  await page.getByText('Without permissions it gets no token').waitFor();
  await page.getByRole('button', { name: 'Read only' }).click();
  await page.getByText('Without permissions it gets no token').waitFor({ state: 'detached' });
  assert.deepEqual(await faultsOf(page), []);
  await page.getByRole('button', { name: 'Add application' }).click();
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ledger sync' }).waitFor();
  const { items } = (await operator.call('/console/v1/applications?limit=100')).body;
  const { permissions } = items.find(({ name }: { name: string }) => name === 'Ledger sync');
  assert.ok(permissions.includes('members:read'), permissions.join());
  assert.deepEqual(
    permissions.filter((key: string) => !key.endsWith(':read')),
    [],
  );
});

/** Writes the files that the screen shows to a folder, and starts them. */
async function start(folder: string, files: Record<string, string>): Promise<ChildProcess> {
  await symlink(resolve(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
  const all = { ...files, 'package.json': '{ "type": "module" }' };
  await Promise.all(Object.entries(all).map(([name, text]) => writeFile(join(folder, name), text)));
  const child = spawn(process.execPath, ['--env-file=.env', 'server.js'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

test('the code that is shown for Express signs people in as it stands, with the .env of the new application', async (t) => {
  const { page } = app;
  const origin = `http://localhost:${await freePort()}`;
  const blockOf = (name: string) =>
    page
      .getByRole('button', { name: `Copy ${name}` })
      .locator('..')
      .locator('code')
      .innerText();
  await app.open('/applications/new?kind=web');
  await page.getByRole('radio', { name: 'Express' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Tickets');
  const redirects = page.getByLabel('Redirect addresses');
  assert.equal(await redirects.inputValue(), 'http://localhost:3000/callback');
  await redirects.fill(`${origin}/callback`);
  await page.getByRole('button', { name: 'Add application' }).click();
  await page.getByRole('dialog').waitFor();
  const env = await blockOf('.env');
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByRole('heading', { level: 1, name: 'Tickets' }).waitFor();
  await page.getByRole('radio', { name: 'Express', checked: true }).waitFor();
  assert.deepEqual(await faultsOf(page), []);

  const folder = await mkdtemp(join(tmpdir(), 'latchkey-snippet-'));
  const child = await start(folder, { '.env': env, 'server.js': await blockOf('server.js') });
  t.after(async () => {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  let cookie = '';
  const call = async (path: string, method = 'GET') => {
    const response = await fetch(origin + path, { method, redirect: 'manual', headers: { cookie } });
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    return { to: response.headers.get('location') ?? '', text: await response.text() };
  };
  const person = await register(latchkey);
  const visitor = browserOf(latchkey);
  const question = await visitor.open((await call('/sign-in', 'POST')).to);
  const back = await visitor.submit(question, { identifier: person.email, password: PASSWORD });
  const consented = back.url.startsWith(origin) ? back : await visitor.submit(back, { decision: 'allow' }, '/consent');
  assert.equal((await call(consented.url.slice(origin.length))).to, '/');
  assert.match((await call('/')).text, new RegExp(`signed in as ${person.email}`));
  const { items } = (await app.operator.call('/console/v1/applications?limit=100')).body;
  const added = items.find(({ name }: { name: string }) => name === 'Tickets');
  assert.equal(added.backchannelLogoutUri, `${origin}/backchannel-logout`);
  const left = await visitor.open((await call('/sign-out', 'POST')).to);
  assert.ok(left.url.startsWith(`${origin}/`), `signed out and back, not at ${left.url}`);
});

test('code for another framework names the addresses that are missing, and a click adds them', async () => {
  const { page, operator } = app;
  const body = { kind: 'web', name: 'Forum', redirectUris: ['https://forum.example/other'] };
  const { body: made } = await operator.call('/console/v1/applications', { body });
  await app.open(`/applications/${made.id}?framework=nextjs`);
  await page.getByText('addresses that this application does not have yet').waitFor();
  await page.getByRole('button', { name: 'Add them' }).click();
  await said(page, 'Addresses added');
  const { body: saved } = await operator.call(`/console/v1/applications/${made.id}`);
  assert.deepEqual(saved.redirectUris, ['https://forum.example/other', 'http://localhost:3000/auth/callback']);
  assert.deepEqual(saved.postLogoutRedirectUris, ['http://localhost:3000/']);
  assert.equal(saved.backchannelLogoutUri, 'http://localhost:3000/auth/backchannel-logout');
  await page.getByRole('radio', { name: 'Fastify API' }).click();
  await page.getByText('Choose below, under APIs').waitFor();
  await page.getByRole('radio', { name: 'Other' }).click();
  await page.getByText('/.well-known/openid-configuration').waitFor();
});

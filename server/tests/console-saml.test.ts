import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { newServiceKey, serviceProviderMetadata } from '#saml';
import { openBrowser } from '#tests/browser.ts';
import { openConsole } from '#tests/console-app.ts';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf } from '#tests/oidc.ts';
import { type Receiver, respondWith, startReceiver } from '#tests/receiver.ts';
import { about, leftFrom } from '#tests/saml-companies.ts';
import { providerMetadata, signedResponse } from '#tests/saml-provider.ts';

let latchkey: TestLatchkey;
let browser: Browser;
let receiver: Receiver;
before(async () => {
  [latchkey, browser, receiver] = await Promise.all([startTestLatchkey(), openBrowser(), startReceiver()]);
});
after(async () => {
  await Promise.all([browser.close(), receiver.stop()]);
  await latchkey.stop();
});

test('a connection by SAML is added by the address of metadata, and shows what the identity provider needs', async () => {
  const { certificate } = await newServiceKey('provider', new Date());
  const entityId = 'https://idp.example.com';
  const metadata = providerMetadata({ entityId, signOn: `${entityId}/sso`, certificates: [certificate] });
  receiver.on('/metadata', respondWith(200, {}, metadata));
  const { page, operator, open } = await openConsole(latchkey, browser);
  const { body: organization } = await operator.call('/console/v1/organizations', { body: { name: 'Acme' } });

  await open(`/organizations/${organization.id}/connections`);
  await page.getByRole('button', { name: 'Add connection' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Acme IdP');
  await dialog.getByText('SAML', { exact: true }).click();
  await dialog.getByLabel('Metadata address').fill(`${receiver.origin}/metadata`);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Acme IdP' }).waitFor();
  const list = await operator.call(`/console/v1/organizations/${organization.id}/connections`);
  const [{ id, kind }] = list.body.items;
  assert.equal(kind, 'saml');
  await page.getByText(`urn:latchkey:connection:${id}`).waitFor();
  await page.getByText(`${entityId}/sso`).waitFor();
  await page.getByText('No response yet.').waitFor();
  assert.equal(await page.getByLabel('Issuer').count(), 0);
});

test('a connection by SAML is added by pasted metadata, and test sign-ins show what came back', async () => {
  const key = await newServiceKey('provider', new Date());
  const entityId = 'https://idp.example.com';
  const describe = (signOn: string) => providerMetadata({ entityId, signOn, certificates: [key.certificate] });
  const { page, operator, open } = await openConsole(latchkey, browser);
  const { body: organization } = await operator.call('/console/v1/organizations', { body: { name: 'Initech' } });
  const list = `/console/v1/organizations/${organization.id}/connections`;

  await open(`/organizations/${organization.id}/connections`);
  await page.getByRole('button', { name: 'Add connection' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Initech IdP');
  await dialog.getByText('SAML', { exact: true }).click();
  await dialog.getByText('As XML').click();
  await dialog.getByLabel('Metadata as XML').fill('<none/>');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByText('The XML is not SAML metadata.').waitFor();
  await dialog.getByLabel('Metadata as XML').fill(describe(`${entityId}/old`));
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Initech IdP' }).waitFor();
  await page.getByRole('button', { name: 'Change metadata' }).click();
  await dialog.getByLabel('Metadata as XML').fill(describe(`${entityId}/sso`));
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText(`${entityId}/sso`).waitFor();
  const [{ id, callbackUrl, saml }] = (await operator.call(list)).body.items;
  assert.equal(saml.metadataUrl, null);
  const published = new URL((await page.getByText('/metadata?workspaceId=').textContent()) ?? '');
  const metadata = await latchkey.auth(published.pathname + published.search);
  assert.match(metadata.text, new RegExp(`entityID="urn:latchkey:connection:${id}"`));

  /** Signs in at the address that the page shows, as the identity provider responds. */
  const signIn = async (audience: string) => {
    const company = { id, acs: callbackUrl, audience };
    const link = page.getByRole('link', { name: 'Sign in at the identity provider' });
    const address = (await link.getAttribute('href')) ?? '';
    assert.equal(await link.getAttribute('target'), '_blank');
    const visitor = browserOf(latchkey);
    const { request, back } = leftFrom(latchkey, company, {
      there: (await visitor.open(address)).url,
      browser: visitor,
    });
    const said = about(company, 'ada', request.id);
    await back(signedResponse({ ...said, attributes: { mail: 'ada@example.com', team: 'Engineering' } }, key));
  };
  await page.getByRole('button', { name: 'Start test sign-in' }).click();
  await page.getByText('Waiting for the sign-in.').waitFor();
  await signIn('urn:other');
  await page.getByText('Refused by the check “audience”').waitFor();
  await page.getByRole('button', { name: 'Start again' }).click();
  await signIn(saml.serviceProvider.entityId);
  await page.getByText('Refused: MEMBERSHIP_REQUIRED').waitFor();
  const received = page.getByRole('region', { name: 'As received' });
  await received.getByText('Engineering').waitFor();
  await page.getByRole('region', { name: 'As mapped' }).getByText('ada@example.com', { exact: true }).waitFor();

  await page.getByLabel('Add people at sign-in').check();
  await page.getByLabel('Groups', { exact: true }).fill('team');
  await page.getByRole('button', { name: 'Add group' }).click();
  await page.getByRole('textbox', { name: 'Group', exact: true }).fill('Engineering');
  await page.getByRole('combobox', { name: 'Roles' }).click();
  await page.getByRole('option', { name: 'Admin' }).click();
  await page.getByLabel('Start address').fill('https://app.example.com/start');
  await page.getByLabel('Single logout').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Connection saved').waitFor();
  const changed = (await operator.call(`${list}/${id}`)).body;
  assert.deepEqual([changed.attributes.groups, changed.groupRoles], ['team', { Engineering: ['admin'] }]);
  assert.deepEqual([changed.saml.idpInitiatedUrl, changed.saml.singleLogout], ['https://app.example.com/start', true]);
  await page.getByRole('button', { name: 'Start again' }).click();
  await signIn(saml.serviceProvider.entityId);
  await page.getByText('The person would get a new account.').waitFor();
  await page.getByRole('region', { name: 'As mapped' }).getByText('Admin').waitFor();

  await page.getByRole('button', { name: 'Replace key' }).click();
  await dialog.getByRole('button', { name: 'Publish second key' }).click();
  await page.getByRole('button', { name: 'Finish replacing' }).click();
  await dialog.getByRole('button', { name: 'Remove first key' }).click();
  await page.getByRole('button', { name: 'Replace key' }).waitFor();
  const [before] = saml.serviceProvider.certificates;
  const { certificates } = (await operator.call(`${list}/${id}`)).body.saml.serviceProvider;
  assert.equal(certificates.length, 1);
  assert.notEqual(certificates[0].fingerprint, before.fingerprint);
});

test('an application by SAML shows the certificates of its service provider, and reads its metadata again', async () => {
  const [first, second] = await Promise.all(['first', 'second'].map((name) => newServiceKey(name, new Date())));
  const entityId = 'https://sp.example.com';
  const describe = (certificate = '') =>
    serviceProviderMetadata({
      entityId,
      consumers: [`${entityId}/acs`],
      logout: `${entityId}/logout`,
      certificates: [certificate],
    });
  receiver.on('/service', respondWith(200, {}, describe(first?.certificate)));
  receiver.on('/gone', respondWith(404));
  const { page, operator, open } = await openConsole(latchkey, browser);
  const saml = { metadata: describe(first?.certificate) };
  const { body } = await operator.call('/console/v1/applications', { body: { kind: 'saml', name: 'Wiki', saml } });

  await open(`/applications/${body.id}`);
  await page.getByText('Pasted or entered by hand').waitFor();
  const certificates = page.getByRole('table', { name: 'Certificates of the service provider' });
  await certificates.getByText('CN=first').first().waitFor();
  await page.getByRole('button', { name: 'Change metadata' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Metadata of the service provider').fill(`${receiver.origin}/gone`);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('The address responded with status').waitFor();
  await dialog.getByLabel('Metadata of the service provider').fill(`${receiver.origin}/service`);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  receiver.on('/service', respondWith(200, {}, describe(second?.certificate)));
  await page.getByRole('button', { name: 'Read now' }).click();
  await certificates.getByText('CN=second').first().waitFor();
  await page.getByLabel('Encrypt assertions').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Application saved').waitFor();
  const after = (await operator.call(`/console/v1/applications/${body.id}`)).body.saml;
  assert.deepEqual([after.metadataUrl, after.encryptAssertions], [`${receiver.origin}/service`, true]);
});

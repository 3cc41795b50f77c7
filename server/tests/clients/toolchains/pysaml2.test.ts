import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { newServiceKey } from '#saml';
import { exchange, newCompany, startOf } from '#tests/connections.ts';
import { PASSWORD, prove, register, startTestLatchkey } from '#tests/harness.ts';
import { browserOf } from '#tests/oidc.ts';
import { leadingTo } from '#tests/saml-logouts.ts';
import { newServiceProvider, readAt, sentForm } from '#tests/saml-service-provider.ts';
import { CACHE, missingFor } from './fetched.ts';

const folder = join(import.meta.dirname, 'pysaml2');
const environment = join(CACHE, 'pysaml2');
const python = join(environment, 'bin/python');
const requirements = join(folder, 'requirements.txt');
const missing = await missingFor([
  { missing: 'Python 3 with venv is not installed', command: ['python3', '-m', 'venv', environment] },
  {
    missing: 'pip cannot fetch pysaml2',
    command: [python, '-m', 'pip', 'install', '--quiet', '--requirement', requirements],
  },
]);

const identityProvider = (given: Record<string, string>) => run('program.py', given);
const serviceProvider = (given: Record<string, string>) => run('service_provider.py', given);

/** Runs one side once. */
async function run(file: string, given: Record<string, string>): Promise<Record<string, string>> {
  const program = spawn(python, ['-W', 'ignore', join(folder, file)], { stdio: ['pipe', 'pipe', 'inherit'] });
  program.stdin.end(JSON.stringify(given));
  const [output] = await Promise.all([text(program.stdout), once(program, 'exit')]);
  return JSON.parse(output);
}

test('people sign in at an identity provider made with pysaml2', { skip: missing ?? false }, async () => {
  const latchkey = await startTestLatchkey();
  try {
    const { certificate, privateKey } = await newServiceKey('pysaml2', new Date());
    const given = {
      entityId: 'https://idp.example.com',
      signOn: 'https://idp.example.com/sso',
      key: privateKey,
      certificate,
    };
    const { metadata = '' } = await identityProvider(given);
    const company = await newCompany(latchkey);
    const body = { name: 'pysaml2', status: 'enabled', justInTime: true, saml: { metadata } };
    const created = await company.call('/connections', 'POST', body);
    assert.equal(created.status, 201, created.text);
    const { id, callbackUrl } = created.body;
    const { workspaceId, projects } = latchkey.demo;
    const scope = `workspaceId=${workspaceId}&projectId=${projects[0]?.id}`;
    const ours = await latchkey.auth(`/v1/auth/login/connections/${id}/metadata?${scope}`);
    const browser = browserOf(latchkey);
    const { searchParams: sent } = new URL((await browser.open(startOf(latchkey, id))).url);
    const email = company.newEmail();
    const request = sent.get('SAMLRequest') ?? '';
    const { response = '' } = await identityProvider({ ...given, metadata: ours.text, request, email });
    const form = { RelayState: sent.get('RelayState') ?? '', SAMLResponse: Buffer.from(response).toString('base64') };
    const posted = await latchkey.auth(new URL(callbackUrl).pathname, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    const back = await browser.open(new URL(posted.headers.get('location') ?? '', callbackUrl).href);
    const signedIn = await exchange(latchkey, new URL(back.url).searchParams.get('code'));
    assert.equal(signedIn.body.session?.organizationId, company.organizationId, `${back.url} ${signedIn.text}`);
    assert.deepEqual(
      (await company.members()).map((member) => member.email),
      [email],
    );
  } finally {
    await latchkey.stop();
  }
});

test('a service provider made with pysaml2 signs people in through an application, and out', {
  skip: missing ?? false,
}, async () => {
  const latchkey = await startTestLatchkey();
  try {
    const { certificate, privateKey } = await newServiceKey('pysaml2', new Date());
    const given = {
      entityId: 'https://sp.example.com',
      consumer: 'https://sp.example.com/acs',
      logout: 'https://sp.example.com/slo',
      key: privateKey,
      certificate,
    };
    const { metadata = '' } = await serviceProvider(given);
    const at = await newServiceProvider(latchkey, { entityId: undefined, consumers: undefined, metadata });
    const ours = (await latchkey.auth(`/saml/${at.clientId}/metadata`)).text;
    const { id = '', address = '' } = await serviceProvider({ ...given, metadata: ours });
    const person = await prove(latchkey, await register(latchkey));
    const browser = browserOf(latchkey);
    const page = await browser.submit(await browser.open(address), { identifier: person.email, password: PASSWORD });
    const { action, relayState, xml } = sentForm(page);
    assert.deepEqual([action, relayState], [given.consumer, 'here']);
    const response = Buffer.from(xml).toString('base64');
    const told = await serviceProvider({ ...given, metadata: ours, response, id });
    const content = await readAt({ ...at, entityId: given.entityId }, page, { requestId: id });
    assert.deepEqual([told['subject'], told['sessionIndex']], [content.nameId, content.sessionIndex]);
    assert.ok(told['attributes']?.includes(person.email), told['attributes']);
    const { subject = '', sessionIndex = '' } = told;
    const post = async (to: string, fields: Record<string, string>) => {
      const sent = await fetch(to, { method: 'POST', body: new URLSearchParams(fields) });
      assert.ok(sent.status === 200 || sent.status === 303, await sent.clone().text());
      return { url: sent.url, status: sent.status, text: await sent.text() };
    };
    const encoded = (message = '') => Buffer.from(message).toString('base64');
    // Asked by the service provider.
    const asking = await serviceProvider({ ...given, metadata: ours, subject, sessionIndex });
    assert.equal(asking['address'], at.own.logoutUrl);
    const answered = leadingTo(
      await post(at.own.logoutUrl, { SAMLRequest: encoded(asking['message']), RelayState: 'x' }),
    );
    assert.deepEqual([answered.to, answered.relayState], [given.logout, 'x']);
    const loggedOut = await serviceProvider({ ...given, metadata: ours, loggedOut: encoded(answered.xml) });
    assert.deepEqual(
      [loggedOut['id'], loggedOut['status']],
      [asking['id'], 'urn:oasis:names:tc:SAML:2.0:status:Success'],
    );
    // Asked by Latchkey.
    await browser.submit(await browser.open((await serviceProvider({ ...given, metadata: ours }))['address'] ?? ''), {
      identifier: person.email,
      password: PASSWORD,
    });
    const question = await browser.open(`${latchkey.system.config.addresses.test.auth}/connect/logout`);
    const asked = leadingTo(await browser.submit(question, { logout: 'yes' }));
    const confirmed = await serviceProvider({ ...given, metadata: ours, asked: encoded(asked.xml) });
    assert.equal(confirmed['subject'], subject);
    const end = await post(at.own.logoutUrl, {
      SAMLResponse: encoded(confirmed['message']),
      RelayState: asked.relayState ?? '',
    });
    assert.match(end.url, /\/connect\/logout\/success/);
  } finally {
    await latchkey.stop();
  }
});

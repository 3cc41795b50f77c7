import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  eventually,
  expectProblem,
  lastMessage,
  newEmail,
  ownerToken,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { type Receiver, startReceiver } from '#tests/receiver.ts';
import { admin, backEnd } from './authority.ts';

let latchkey: TestLatchkey;
let owner: ReturnType<typeof admin>;
let receivers: Receiver[];
before(async () => {
  latchkey = await startTestLatchkey();
  owner = admin(latchkey, await ownerToken(latchkey));
  receivers = [await startReceiver(), await startReceiver()];
});
after(async () => {
  await latchkey.stop();
  await Promise.all(receivers.map((receiver) => receiver.stop()));
});

describe('a stored credential stays with the origin it was given for', () => {
  test('headers of a webhook endpoint', async () => {
    const [mine, evil] = receivers.map(({ origin }) => `${origin}/hooks`);
    const headers = { authorization: 'Bearer topsecret-credential', 'x-team': 'blue' };
    const made = await owner('POST', 'webhooks/endpoints', { url: mine, events: ['*'], headers });
    assert.equal(made.status, 201, made.text);
    const path = `webhooks/endpoints/${made.body.id}`;
    const weak = admin(latchkey, (await backEnd(latchkey, ['webhooks:read', 'webhooks:write'])).token);
    const shown = (await weak('GET', path)).body.headers;
    const refused = await Promise.all([
      weak('PATCH', path, { url: evil }),
      weak('PATCH', path, { url: evil, headers: shown }),
    ]);
    for (const response of refused) {
      expectProblem(response, 400, 'VALIDATION_FAILED');
      assert.equal(response.body.errors[0].pointer, '/body/headers');
    }
    assert.equal((await weak('GET', path)).body.url, mine);
    assert.equal((await weak('PATCH', path, { url: `${receivers[0]?.origin}/elsewhere` })).status, 200);
    assert.equal((await weak('PATCH', path, { url: evil, headers: { 'x-team': 'red' } })).status, 200);
  });

  test('the client secret of an identity provider', async () => {
    const options = { issuer: 'https://login.example.com' };
    const provider = { key: 'corp', preset: 'oidc', clientId: 'id', clientSecret: 'top secret', options };
    const made = await owner('POST', 'identity-providers', provider);
    assert.equal(made.status, 201, made.text);
    const path = `identity-providers/${made.body.id}`;
    const weak = admin(latchkey, (await backEnd(latchkey, ['providers:read', 'providers:write'])).token);
    const evil = 'https://evil.example';
    const refused = await Promise.all([
      weak('PATCH', path, { options: { issuer: evil } }),
      weak('PATCH', path, { options: { ...options, tokenEndpoint: `${evil}/token` } }),
      weak('PATCH', path, { options: { ...options, userinfoEndpoint: `${evil}/me` }, enabled: true }),
    ]);
    for (const response of refused) {
      expectProblem(response, 400, 'VALIDATION_FAILED');
      assert.equal(response.body.errors[0].pointer, '/body/clientSecret');
    }
    const moved = { options: { issuer: evil }, clientSecret: 'their own' };
    assert.equal((await weak('PATCH', path, { name: 'Corp' })).status, 200);
    assert.equal((await weak('PATCH', path, moved)).status, 200);
  });
});

describe('an author of message templates gets no one-time link or code', () => {
  const path = 'settings/messages/magic_link/en';
  const text = (body: string, rest = {}) => ({ subject: 'Sign in', body, action: '', ...rest });

  test('the variables stand alone, so that they cannot become part of an attacker’s address', async () => {
    const bodies = [
      'https://evil.example/?t={link}',
      'Open {link}.evil.example',
      'https://evil.example/?t={ link }',
      'https://evil.example/?t=\uFEFF{link}',
      'https://evil.example/?t=\u00A0{link}',
      '{minutes, plural, one {x} other {https://evil.example/?t={link}}}',
      '{minutes, select, 15 {https://evil.example/?t={link}} other {{link}}}',
      '{link}\n\nhttps://evil.example/?c={code}',
      '{link}\n\nhttps://evil.example/{code, number}',
    ];
    const responses = await Promise.all([
      ...bodies.map((body) => owner('PUT', path, text(body))),
      owner('PUT', path, text('{link}', { subject: 'https://evil.example/ {link}' })),
      owner('PUT', path, text('{link}', { action: 'Open {link}' })),
    ]);
    for (const response of responses) expectProblem(response, 400, 'VALIDATION_FAILED');
    assert.equal((await owner('PUT', path, text('Hello\n\n{link}\n\nor type {code}.'))).status, 200);
  });

  test('properties that every object inherits are not variables', async () => {
    const responses = await Promise.all(
      ['constructor', '__proto__', 'toString'].map((name) => owner('PUT', path, text(`{link}\n\n{${name}}`))),
    );
    for (const response of responses) expectProblem(response, 400, 'VALIDATION_FAILED');
  });

  test('a template that predates the rule is replaced by the built-in text', async () => {
    const body = 'https://evil.example/?t={link}';
    const values = [latchkey.demo.workspaceId, latchkey.demo.projects[0]?.id, body];
    await latchkey.system.pool.query(
      `insert into message_templates (workspace_id, project_id, environment, template, locale, subject, body, action, updated_at)
       values ($1, $2, 'test', 'invitation', 'en', 'Join', $3, '', now())`,
      values,
    );
    const email = newEmail();
    assert.equal((await owner('POST', 'invitations', { email })).status, 201);
    await eventually(async () => {
      const { text: sent } = await lastMessage(latchkey, email);
      assert.ok(/token=/.test(sent) && !sent.includes('evil.example'), sent);
    });
  });
});

describe('replaying to a webhook endpoint', () => {
  test('is limited per endpoint', async () => {
    const endpoint = { url: `${receivers[0]?.origin}/hooks`, events: ['role.created'] };
    const { id } = (await owner('POST', 'webhooks/endpoints', endpoint)).body;
    const body = { since: '2020-01-01T00:00:00Z' };
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => owner('POST', `webhooks/endpoints/${id}/replay`, body)),
    );
    const statuses = responses.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [...Array(10).fill(202), 429, 429]);
    const recovery = await owner('POST', `webhooks/endpoints/${id}/recover`, body);
    expectProblem(recovery, 429, 'RATE_LIMIT_EXCEEDED');
  });
});

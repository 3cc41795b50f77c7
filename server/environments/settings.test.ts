import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  expectProblem,
  lastMessage,
  newEmail,
  ownerToken,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
});
after(() => latchkey.stop());

const change = (body: Record<string, unknown>, as = token) =>
  latchkey.api('/v1/admin/settings', { token: as, method: 'PATCH', body });

describe('the settings of a project', () => {
  test('GET shows every setting; PATCH changes only the given ones, with immediate effect', async () => {
    const { body: before } = await latchkey.api('/v1/admin/settings', { token });
    assert.equal(before.registration, 'open');
    const response = await change({ registration: 'closed' });
    assert.deepEqual(response.body, { ...before, registration: 'closed' }, response.text);
    const refused = await latchkey.auth('/v1/auth/register', {
      body: { email: 'a@b.example', password: 'a long enough password' },
    });
    expectProblem(refused, 403, 'REGISTRATION_CLOSED');
    const { rows } = await latchkey.system.pool.query(
      `select data from events where type = 'project.settings.updated' and workspace_id = $1`,
      [latchkey.demo.workspaceId],
    );
    assert.ok(rows.length > 0);
    await change({ registration: 'open' });
  });

  test('invalid values are refused with their field', async () => {
    for (const body of [
      { registration: 'sometimes' },
      { passwordMinLength: 7 },
      { accessTokenSeconds: 5 },
      { managementTokenSeconds: 3_601 },
      { authorizationCodeSeconds: 9 },
      { authorizationCodeSeconds: 601 },
      { oneTimeCodeSeconds: 601 },
      { oneTimeCodeTries: 6 },
      { mfaTokenSeconds: 1_801 },
      { locales: [] },
      { locales: ['en', 'tlh'] },
      // The default language must be among them.
      { locales: ['de'] },
      { locales: ['en', 'de'], defaultLanguage: 'fr' },
      { signInMethods: ['password', 'password'] },
      { branding: { accentColor: 'red' } },
      { nothing: true },
      {},
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await change(body), 400, 'VALIDATION_FAILED');
    }
  });

  test('concurrent changes cannot leave a default language that is not offered', async () => {
    const responses = await Promise.all([change({ locales: ['en', 'de'] }), change({ defaultLanguage: 'fr' })]);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 400]);
    const { body } = await latchkey.api('/v1/admin/settings', { token });
    assert.ok(body.locales.includes(body.defaultLanguage));
    await change({ locales: ['en', 'de', 'fr', 'es', 'ja', 'zh', 'ar'], defaultLanguage: 'en' });
  });

  test('messages use the languages of `locales`, and front ends can read the list', async () => {
    await change({ locales: ['en', 'fr'], defaultLanguage: 'fr' });
    const { body } = await latchkey.auth('/v1/auth/methods');
    assert.deepEqual([body.locales, body.defaultLanguage], [['en', 'fr'], 'fr']);
    const mailIn = async (languages: string) => {
      const email = newEmail();
      const headers = { 'accept-language': languages };
      await register(latchkey, { email });
      await latchkey.auth('/v1/auth/login/email-code', { body: { email }, headers });
      return (await lastMessage(latchkey, email)).subject.replace(/\d+/, '');
    };
    const [french, english] = [await mailIn('de'), await mailIn('en')];
    assert.notEqual(french, english);
    assert.equal(await mailIn('de, en;q=0.5'), english);
    await change({ locales: ['en', 'de', 'fr', 'es', 'ja', 'zh', 'ar'], defaultLanguage: 'en' });
    assert.equal(await mailIn('fr'), french);
    assert.notEqual(await mailIn('de'), french);
  });

  test('the other environment and other projects keep their settings', async () => {
    await change({ mfa: 'required' });
    const production = await latchkey.auth('/v1/auth/methods', {}, 'production');
    assert.equal(production.body.mfa, 'optional');
    await change({ mfa: 'optional' });
  });

  test('403 without the permission', async () => {
    const { access_token } = await register(latchkey);
    expectProblem(await change({ registration: 'closed' }, access_token), 403, 'AUTHORIZATION_DENIED');
  });
});

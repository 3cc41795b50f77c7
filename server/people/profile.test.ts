import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { expectProblem, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

/** Values that are not the address of a web page. */
const NOT_PAGES = [
  'javascript:alert(1)',
  'data:text/html,x',
  'ada.example',
  'https://',
  'https:///path',
  'https://ada.example/\u0000',
  'https://ada.example/\r\nx: y',
  ' https://ada.example',
  'https://ada.example/"><script>',
  `https://ada.example/${'a'.repeat(10_000)}`,
];

describe('/v1/me/profile', () => {
  const patch = (body: unknown, by: string) => latchkey.api('/v1/me/profile', { token: by, method: 'PATCH', body });

  test('200 changes the given fields, clears with null, and shows in the context at once', async () => {
    const { access_token, email } = await register(latchkey);
    const changes = {
      displayName: 'Ada',
      givenName: 'Ada',
      middleName: 'Augusta',
      familyName: 'King',
      nickname: 'Countess',
      gender: 'female',
      profile: 'https://social.example/ada',
      website: 'https://ada.example/?a=%20b#c',
      username: `ada${Date.now()}`,
      picture: 'https://example.com/a.png',
      locale: 'en-GB',
      zoneinfo: 'Europe/London',
      birthdate: '1815-12-10',
      customData: { plan: 'gold', nested: { deep: [1, 2] } },
    };
    const { status, body } = await patch(changes, access_token);
    assert.equal(status, 200);
    for (const [name, value] of Object.entries(changes)) assert.deepEqual(body[name], value, name);
    assert.equal((await latchkey.api('/v1/me/context', { token: access_token })).body.user.displayName, 'Ada');
    await patch({ displayName: null }, access_token);
    const { body: read } = await latchkey.api('/v1/me/profile', { token: access_token });
    assert.deepEqual([read.displayName, read.givenName, read.email], [null, 'Ada', email]);
  });

  test('409 ALREADY_EXISTS for a taken username, however it is typed; nothing else changes', async () => {
    const [one, two] = await Promise.all([register(latchkey), register(latchkey)]);
    await patch({ username: 'Unique.Name' }, one.access_token);
    expectProblem(
      await patch({ username: 'unique.name', displayName: 'Changed' }, two.access_token),
      409,
      'ALREADY_EXISTS',
    );
    assert.equal((await latchkey.api('/v1/me/profile', { token: two.access_token })).body.displayName, null);
  });

  test('400 and 413 for invalid and too large values', async () => {
    const { access_token } = await register(latchkey);
    for (const body of [
      {},
      { picture: 'javascript:alert(1)' },
      { locale: 'no locale' },
      { birthdate: '10.12.1815' },
      { email: 'x@example.com' },
      { displayName: '' },
      { displayName: 'x'.repeat(201) },
      { username: 'a b c' },
      ...['profile', 'website'].flatMap((field) => NOT_PAGES.map((value) => ({ [field]: value }))),
      ...['middleName', 'nickname', 'gender'].flatMap((field) =>
        ['', 'x'.repeat(201), 'a\u0007b', 'a\nb'].map((value) => ({ [field]: value })),
      ),
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await patch(body, access_token), 400, 'VALIDATION_FAILED');
    }
    expectProblem(await patch({ customData: { long: 'x'.repeat(17_000) } }, access_token), 413, 'PAYLOAD_TOO_LARGE');
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import decodeQR from 'qr/decode.js';
import { challengeIn, totpOf } from '#tests/factors.ts';
import {
  changeSettings,
  eventsOf,
  expectProblem,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

type Person = Awaited<ReturnType<typeof register>>;
const NEXT_PASSWORD = 'another correct horse battery';

const me = (path: string, token: string, call: Record<string, unknown> = {}) =>
  latchkey.api(`/v1/me/security${path}`, { token, ...call });
const remove = (path: string, token: string) => me(path, token, { method: 'DELETE' });
const login = (person: Person, extra: Record<string, unknown> = {}) =>
  latchkey.auth('/v1/auth/login/password', { body: { identifier: person.email, password: PASSWORD, ...extra } });

/** The mails to a person since the last call. */
function mailsOf(person: Person): () => Promise<string[]> {
  let seen = 0;
  return async () => {
    const { body } = await latchkey.console(`/dev/inbox?to=${encodeURIComponent(person.email)}`);
    const texts: string[] = body.items.map(({ text }: { text: string }) => text);
    const fresh = texts.slice(0, texts.length - seen);
    seen = texts.length;
    return fresh;
  };
}

async function addPhone(token: string, phone: string) {
  const { body } = await me('/mfa/phone', token, { body: { phone } });
  const { body: inbox } = await latchkey.console(`/dev/inbox?to=${encodeURIComponent(phone)}`);
  const code = /\d{8}/.exec(inbox.items[0].text)?.[0];
  return me('/mfa/phone/confirm', token, { body: { flowId: body.flowId, code } });
}

/** The text of a QR code that is drawn as one path of an SVG. */
function readQr(svg: string): string {
  const size = Number(/viewBox="0 0 (\d+) \d+"/.exec(svg)?.[1]);
  const path = /stroke="#000000" d="([^"]+)"/.exec(svg)?.[1] ?? '';
  const SCALE = 4;
  const width = size * SCALE;
  const data = new Uint8Array(width * width * 4).fill(255);
  let [x, y] = [0, 0];
  for (const [, command, rest = ''] of path.matchAll(/([Mmh])([^Mmh]*)/g)) {
    const [first = 0, second = 0] = (rest.match(/-?[\d.]+/g) ?? []).map(Number);
    if (command === 'M') [x, y] = [first, second];
    if (command === 'm') [x, y] = [x + first, y + second];
    if (command !== 'h') continue;
    for (let row = 0; row < SCALE; row += 1)
      for (let column = 0; column < first * SCALE; column += 1) {
        const pixel = ((Math.floor(y) * SCALE + row) * width + x * SCALE + column) * 4;
        data.fill(0, pixel, pixel + 3);
      }
    x += first;
  }
  return decodeQR({ width, height: width, data });
}

describe('setting up an authenticator app', () => {
  test('AU-4 its QR code has the content of its address: the project, the account, the secret', async () => {
    const person = await register(latchkey);
    const { body } = await me('/mfa/totp', person.access_token, { body: {} });
    assert.equal(readQr(body.qrSvg), body.uri);
    const { protocol, host, pathname, searchParams } = new URL(body.uri);
    assert.deepEqual([protocol, host, decodeURIComponent(pathname)], ['otpauth:', 'totp', `/Shop:${person.email}`]);
    assert.equal(searchParams.get('secret'), body.secret);
    assert.ok(body.secret.length >= 32, '160 bits in base 32');
    const { rows } = await latchkey.system.pool.query('select secret_sealed from mfa_factors where id = $1', [body.id]);
    assert.ok(!rows[0].secret_sealed.includes(body.secret));
  });

  test('an unconfirmed app is not asked for; a second one is 409 ALREADY_EXISTS', async () => {
    const person = await register(latchkey);
    await me('/mfa/totp', person.access_token, { body: {} });
    assert.ok((await login(person)).body.access_token);
    const app = await totpOf(latchkey, person, clock);
    assert.equal(app.recoveryCodes.length, 10);
    await assert.rejects(totpOf(latchkey, person, clock), /ALREADY_EXISTS/);
  });

  test('AU-1 guesses at the confirming code are limited, also in parallel', async () => {
    const person = await register(latchkey);
    const { body } = await me('/mfa/totp', person.access_token, { body: {} });
    const responses = await Promise.all(
      Array.from({ length: 60 }, () =>
        me('/mfa/totp/confirm', person.access_token, { body: { id: body.id, code: '000000' } }),
      ),
    );
    const looked = responses.filter(({ body: { errorCode } }) => errorCode === 'INVALID_CODE').length;
    assert.equal(looked, 20);
  });

  test('404 for the set-up of another person', async () => {
    const [person, stranger] = [await register(latchkey), await register(latchkey)];
    const { body } = await me('/mfa/totp', person.access_token, { body: {} });
    const stolen = await me('/mfa/totp/confirm', stranger.access_token, { body: { id: body.id, code: '000000' } });
    expectProblem(stolen, 404, 'NOT_FOUND');
  });
});

describe('every change of a factor', () => {
  test('AU-7 is mailed to its owner and writes an event', async () => {
    const person = await register(latchkey);
    const fresh = mailsOf(person);
    await fresh();
    const { access_token: token } = person;
    const told = async (words: RegExp) => {
      const texts = await fresh();
      assert.equal(texts.length, 1, texts.join());
      assert.match(texts[0] ?? '', words);
    };
    await totpOf(latchkey, person, clock);
    await told(/authenticator app was added/);
    assert.equal((await addPhone(token, '+4915188888881')).status, 200);
    await told(/phone was added as a second step/);
    assert.equal((await me('/recovery-codes', token, { body: {} })).status, 200);
    await told(/New recovery codes were created/);
    assert.equal((await remove('/mfa/totp', token)).status, 204);
    await told(/authenticator app was removed/);
    assert.equal((await me('', token)).body.recoveryCodesLeft, 10, 'the phone is still there');
    assert.equal((await remove('/mfa/phone', token)).status, 204);
    await told(/phone was removed as a second step/);
    assert.equal((await me('', token)).body.recoveryCodesLeft, 0);
    const events = await eventsOf(latchkey, person.session.userId);
    const changes = events.filter((type) => /mfa|recovery/.test(type));
    assert.deepEqual(changes, [
      'user.mfa.enabled',
      'user.recovery_codes.created',
      'user.mfa.enabled',
      'user.recovery_codes.created',
      'user.mfa.disabled',
      'user.mfa.disabled',
    ]);
  });

  test('SE-4 needs a sign-in within the last ten minutes', async () => {
    const person = await register(latchkey);
    const { access_token: token } = person;
    await totpOf(latchkey, person, clock);
    await addPhone(token, '+4915188888882');
    clock.advance(601_000);
    const calls = [
      me('/mfa/totp', token, { body: {} }),
      me('/mfa/phone', token, { body: { phone: '+4915188888883' } }),
      me('/recovery-codes', token, { body: {} }),
      me('/passkeys/options', token, { body: {} }),
      remove('/mfa/totp', token),
      remove('/mfa/phone', token),
    ];
    for (const response of await Promise.all(calls)) expectProblem(response, 401, 'REAUTHENTICATION_REQUIRED');
    assert.equal((await me('', token)).body.mfa.factors.length, 2);
  });
});

test('of two changes of the password at once one is made, and the other has the wrong current password', async () => {
  const person = await register(latchkey);
  clock.advance(1_000);
  const passwords = [NEXT_PASSWORD, `${NEXT_PASSWORD} too`];
  const changes = await Promise.all(
    passwords.map((newPassword) =>
      me('/password', person.access_token, { method: 'PUT', body: { currentPassword: PASSWORD, newPassword } }),
    ),
  );
  assert.deepEqual(changes.map(({ status }) => status).sort(), [204, 401]);
  const logins = await Promise.all(passwords.map((password) => login(person, { password })));
  assert.deepEqual(
    logins.map(({ status }) => status === 200),
    changes.map(({ status }) => status === 204),
  );
});

describe('a remembered device', () => {
  async function remembered() {
    const person = await register(latchkey);
    const app = await totpOf(latchkey, person, clock);
    const { mfaToken } = challengeIn(await login(person));
    const { body } = await latchkey.auth('/v1/auth/mfa/verify', {
      body: { mfaToken, code: app.code(), rememberDevice: true },
    });
    return { person, token: body.access_token, deviceToken: body.deviceToken };
  }

  test('SE-3 is removed when the password changes', async () => {
    const { person, token, deviceToken } = await remembered();
    assert.ok((await login(person, { deviceToken })).body.access_token);
    const changed = await me('/password', token, {
      method: 'PUT',
      body: { currentPassword: PASSWORD, newPassword: NEXT_PASSWORD },
    });
    assert.equal(changed.status, 204, changed.text);
    assert.equal((await login(person, { password: NEXT_PASSWORD, deviceToken })).body.status, 'mfa_required');
    assert.deepEqual((await me('', token)).body.rememberedDevices, []);
  });

  test('SE-3 is removed when a factor it stood for is removed', async () => {
    const { person, token, deviceToken } = await remembered();
    await remove('/mfa/totp', token);
    await totpOf(latchkey, { ...person, access_token: token }, clock);
    assert.equal((await login(person, { deviceToken })).body.status, 'mfa_required');
  });

  test('is stored as a hash, for thirty days, only if the project allows it', async () => {
    const { person, token, deviceToken } = await remembered();
    const { rows } = await latchkey.system.pool.query('select * from remembered_devices where user_id = $1', [
      person.session.userId,
    ]);
    assert.ok(!JSON.stringify(rows).includes(deviceToken));
    const [device] = (await me('', token)).body.rememberedDevices;
    assert.equal(Date.parse(device.expiresAt) - Date.parse(device.createdAt), 30 * 86_400_000);
    await changeSettings(latchkey, { rememberDeviceSeconds: 0 });
    assert.equal((await login(person, { deviceToken })).body.status, 'mfa_required');
    await changeSettings(latchkey, { rememberDeviceSeconds: 30 * 86_400 });
    const stranger = await register(latchkey);
    expectProblem(await remove(`/devices/${device.id}`, stranger.access_token), 404, 'NOT_FOUND');
    assert.ok((await login(person, { deviceToken })).body.access_token);
  });

  test('when it was last used does not change the tag of the record, nor when a session or a factor was', async () => {
    const { person, token } = await remembered();
    const before = (await me('', token)).headers.get('etag');
    const later = (table: string, column: string) =>
      latchkey.system.pool.query(`update ${table} set ${column} = ${column} + interval '1 second' where user_id = $1`, [
        person.session.userId,
      ]);
    await later('mfa_factors', 'last_used_at');
    await later('remembered_devices', 'last_used_at');
    await later('sessions', 'last_seen_at');
    assert.equal((await me('', token)).headers.get('etag'), before);
    assert.equal((await remove('/mfa/totp', token)).status, 204);
    assert.notEqual((await me('', token)).headers.get('etag'), before);
  });
});

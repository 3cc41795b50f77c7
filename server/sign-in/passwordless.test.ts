import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createProject } from '#environments';
import {
  changeSettings,
  eventsOf,
  expectProblem,
  lastMessage,
  mailedCode,
  mailedToken,
  newEmail,
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

const ways = {
  'magic link': { start: '/v1/auth/login/magic-link', verify: '/v1/auth/login/magic-link/verify' },
  'email code': { start: '/v1/auth/login/email-code', verify: '/v1/auth/login/email-code/verify' },
};

describe('codes and links follow the settings', () => {
  const { start, verify } = ways['email code'];
  after(() => changeSettings(latchkey, { oneTimeCodeSeconds: 600, oneTimeCodeTries: 5, magicLinkSeconds: 900 }));

  test('AU-3 a code is void after fewer attempts if the project wants so, also a resent code', async () => {
    await changeSettings(latchkey, { oneTimeCodeTries: 2 });
    const { email } = await register(latchkey);
    const { flowId } = (await latchkey.auth(start, { body: { email } })).body;
    const left = async () =>
      (await latchkey.system.pool.query('select attempts_left from flows where id = $1', [flowId])).rows[0]
        .attempts_left;
    assert.equal(await left(), 2);
    const guess = () => latchkey.auth(verify, { body: { flowId, code: '00000001' } });
    await Promise.all([guess(), guess(), guess()]);
    const code = await mailedCode(latchkey, email);
    expectProblem(await latchkey.auth(verify, { body: { flowId, code } }), 401, 'INVALID_CODE');
    clock.advance(31_000);
    await latchkey.auth('/v1/auth/email/resend', { body: { flowId } });
    assert.equal(await left(), 2);
  });

  test('AU-3 a code expires sooner if the project wants so', async () => {
    await changeSettings(latchkey, { oneTimeCodeSeconds: 120 });
    const { email } = await register(latchkey);
    const begun = await latchkey.auth(start, { body: { email } });
    assert.equal(begun.body.expiresIn, 120);
    clock.advance(31_000);
    const resent = await latchkey.auth('/v1/auth/email/resend', { body: { flowId: begun.body.flowId } });
    assert.equal(resent.body.expiresIn, 120);
    clock.advance(121_000);
    const proof = { flowId: begun.body.flowId, code: await mailedCode(latchkey, email) };
    expectProblem(await latchkey.auth(verify, { body: proof }), 401, 'INVALID_CODE');
  });

  test('AU-3 a mailed link expires when the settings say, and its code no later', async () => {
    await changeSettings(latchkey, { magicLinkSeconds: 60, oneTimeCodeSeconds: 600 });
    const link = ways['magic link'];
    const { email } = await register(latchkey);
    const begun = await latchkey.auth(link.start, { body: { email } });
    const [token, code] = [await mailedToken(latchkey, email), await mailedCode(latchkey, email)];
    clock.advance(61_000);
    expectProblem(await latchkey.auth(link.verify, { body: { token } }), 400, 'INVALID_TOKEN');
    const proof = { flowId: begun.body.flowId, code };
    expectProblem(await latchkey.auth(link.verify, { body: proof }), 401, 'INVALID_CODE');
  });
});

describe('signing in by mail', () => {
  for (const [name, { start, verify }] of Object.entries(ways)) {
    test(`${name}: the code signs in once, in the flow that requested it`, async () => {
      const { email, session } = await register(latchkey);
      const { status, body } = await latchkey.auth(start, { body: { email } });
      assert.equal(status, 202);
      const proof = { flowId: body.flowId, code: await mailedCode(latchkey, email) };
      const signedIn = await latchkey.auth(verify, { body: proof });
      assert.equal(signedIn.body.session.userId, session.userId, signedIn.text);
      assert.deepEqual([signedIn.body.session.amr, signedIn.body.session.acr], [['otp'], 'aal1']);
      expectProblem(await latchkey.auth(verify, { body: proof }), 401, 'INVALID_CODE');
      assert.ok((await eventsOf(latchkey, session.userId)).includes('user.email.verified'));
    });

    test(`${name}: an unknown address becomes an account if registration is open`, async () => {
      const email = newEmail();
      const { body } = await latchkey.auth(start, { body: { email } });
      const signedIn = await latchkey.auth(verify, {
        body: { flowId: body.flowId, code: await mailedCode(latchkey, email) },
      });
      assert.equal(signedIn.status, 200, signedIn.text);
      const { body: me } = await latchkey.api('/v1/me/profile', { token: signedIn.body.access_token });
      assert.deepEqual([me.email, me.emailVerified], [email, true]);
    });

    test(`${name}: if registration is closed, nothing is sent and the response is the same`, async () => {
      await changeSettings(latchkey, { registration: 'closed' });
      const email = newEmail();
      const { status, body } = await latchkey.auth(start, { body: { email } });
      assert.equal(status, 202);
      assert.deepEqual(Object.keys(body).sort(), ['expiresIn', 'flowId', 'resendAfter']);
      assert.deepEqual((await latchkey.console(`/dev/inbox?to=${email}`)).body.items, []);
      await changeSettings(latchkey, { registration: 'open' });
    });

    test(`AU-3 ${name}: only five of 200 parallel guesses are checked, then the code is void`, async () => {
      const { email } = await register(latchkey);
      const { body } = await latchkey.auth(start, { body: { email } });
      const code = await mailedCode(latchkey, email);
      const wrong = code === '00000000' ? '11111111' : '00000000';
      await Promise.all(
        Array.from({ length: 200 }, () => latchkey.auth(verify, { body: { flowId: body.flowId, code: wrong } })),
      );
      const { rows } = await latchkey.system.pool.query('select attempts_left from flows where id = $1', [body.flowId]);
      assert.equal(rows[0].attempts_left, 0);
      expectProblem(await latchkey.auth(verify, { body: { flowId: body.flowId, code } }), 401, 'INVALID_CODE');
    });

    test(`AU-3 ${name}: a code does not work after ten minutes, and never for another flow or project`, async () => {
      const { email } = await register(latchkey);
      const { body } = await latchkey.auth(start, { body: { email } });
      const proof = { flowId: body.flowId, code: await mailedCode(latchkey, email) };
      const other = await latchkey.auth(start, { body: { email: newEmail() } });
      expectProblem(
        await latchkey.auth(verify, { body: { ...proof, flowId: other.body.flowId } }),
        401,
        'INVALID_CODE',
      );
      const projectId = await latchkey.inProject((tx) => createProject(tx, 'Elsewhere'));
      const { workspaceId } = latchkey.demo;
      expectProblem(await latchkey.auth(verify, { body: { ...proof, workspaceId, projectId } }), 401, 'INVALID_CODE');
      clock.advance(601_000);
      expectProblem(await latchkey.auth(verify, { body: proof }), 401, 'INVALID_CODE');
    });

    test(`${name}: 403 METHOD_DISABLED if the project does not offer it`, async () => {
      await changeSettings(latchkey, { signInMethods: ['password'] });
      expectProblem(await latchkey.auth(start, { body: { email: newEmail() } }), 403, 'METHOD_DISABLED');
      await changeSettings(latchkey, {
        signInMethods: ['password', 'magic_link', 'email_code', 'phone', 'passkey', 'social'],
      });
    });
  }

  test('AU-3 only one of fifty parallel uses of a link succeeds', async () => {
    const { email } = await register(latchkey);
    await latchkey.auth(ways['magic link'].start, { body: { email } });
    const token = await mailedToken(latchkey, email);
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => latchkey.auth(ways['magic link'].verify, { body: { token } })),
    );
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
    assert.equal(responses.filter(({ body }) => body.errorCode === 'INVALID_TOKEN').length, 49);
  });

  test('a link lives as long as the project says', async () => {
    const { email } = await register(latchkey);
    await latchkey.auth(ways['magic link'].start, { body: { email } });
    const token = await mailedToken(latchkey, email);
    clock.advance(901_000);
    expectProblem(await latchkey.auth(ways['magic link'].verify, { body: { token } }), 400, 'INVALID_TOKEN');
  });

  test('resend waits 30 seconds, then replaces code and link', async () => {
    const { email } = await register(latchkey);
    const { body } = await latchkey.auth(ways['email code'].start, { body: { email } });
    const early = await latchkey.auth('/v1/auth/email/resend', { body: { flowId: body.flowId } });
    expectProblem(early, 429, 'RATE_LIMIT_EXCEEDED');
    assert.ok(Number(early.headers.get('retry-after')) <= 30);
    const first = await mailedCode(latchkey, email);
    clock.advance(30_000);
    assert.equal((await latchkey.auth('/v1/auth/email/resend', { body: { flowId: body.flowId } })).status, 202);
    const second = await mailedCode(latchkey, email);
    assert.notEqual(first, second);
    const verify = (code: string) => latchkey.auth(ways['email code'].verify, { body: { flowId: body.flowId, code } });
    expectProblem(await verify(first), 401, 'INVALID_CODE');
    assert.equal((await verify(second)).status, 200);
  });

  test('one address gets ten mails an hour, however many requests come at once and from wherever', async () => {
    const email = newEmail();
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        latchkey.auth(ways['email code'].start, { body: { email }, headers: { 'x-forwarded-for': `10.9.0.${index}` } }),
      ),
    );
    // The caller does not learn about the requests of others.
    assert.equal(responses.filter(({ status }) => status === 202).length, 40);
    const { rows } = await latchkey.system.pool.query(
      `select count(*)::int as sent from messages where recipient = $1 and status <> 'suppressed'`,
      [email],
    );
    assert.equal(rows[0].sent, 10);
  });

  test('no secret of a message or request is in a log', async () => {
    const lines: string[] = [];
    const logged = await startTestLatchkey({
      log: (line) => lines.push(line),
      settings: { LATCHKEY_LOG_LEVEL: 'debug' },
    });
    const { email, access_token, refresh_token } = await register(logged);
    await logged.auth(ways['magic link'].start, { body: { email } });
    const secrets = [
      await mailedToken(logged, email),
      await mailedCode(logged, email),
      access_token,
      refresh_token,
      'correct horse',
    ];
    await logged.auth(ways['magic link'].verify, { body: { token: secrets[0] } });
    await logged.auth(`/link/sign-in?token=${secrets[0]}`);
    await logged.stop();
    assert.ok(lines.length > 5);
    for (const secret of secrets) assert.ok(!lines.join('\n').includes(secret ?? ''), secret);
  });
});

describe('signing in by phone', () => {
  const start = (phone: string) => latchkey.auth('/v1/auth/login/phone', { body: { phone } });
  const verify = (flowId: string, code: string) =>
    latchkey.auth('/v1/auth/login/phone/verify', { body: { flowId, code } });

  test('a code by text message signs in; the number may be written in any common form', async () => {
    const { status, body } = await start('+49 1512 3456789');
    assert.equal(status, 202);
    const { text } = await lastMessage(latchkey, '+4915123456789');
    const code = /\d{8}/.exec(text)?.[0] ?? '';
    const signedIn = await verify(body.flowId, code);
    assert.equal(signedIn.status, 200, signedIn.text);
    assert.deepEqual(signedIn.body.session.amr, ['sms']);
    const { body: me } = await latchkey.api('/v1/me/profile', { token: signedIn.body.access_token });
    assert.deepEqual([me.phone, me.phoneVerified], ['+4915123456789', true]);
    clock.advance(31_000);
    const again = await start('+4915123456789');
    const next = /\d{8}/.exec((await lastMessage(latchkey, '+4915123456789')).text)?.[0] ?? '';
    assert.equal((await verify(again.body.flowId, next)).body.session.userId, signedIn.body.session.userId);
  });

  test('a code proves only the method that sent it, so a disabled method lets nobody in', async () => {
    const phone = '+4915123456790';
    const { body: texted } = await start(phone);
    const code = /\d{8}/.exec((await lastMessage(latchkey, phone)).text)?.[0] ?? '';
    await changeSettings(latchkey, { signInMethods: ['password', 'email_code'] });
    expectProblem(await verify(texted.flowId, code), 403, 'METHOD_DISABLED');
    const byMail = ways['email code'];
    expectProblem(await latchkey.auth(byMail.verify, { body: { flowId: texted.flowId, code } }), 401, 'INVALID_CODE');
    await changeSettings(latchkey, {
      signInMethods: ['password', 'magic_link', 'email_code', 'phone', 'passkey', 'social'],
    });
    const { email } = await register(latchkey);
    const { body: mailed } = await latchkey.auth(byMail.start, { body: { email } });
    expectProblem(await verify(mailed.flowId, await mailedCode(latchkey, email)), 401, 'INVALID_CODE');
    assert.equal((await verify(texted.flowId, code)).status, 200, 'the refused attempts have not spent the code');
  });

  test('an impossible number is refused with its field', async () => {
    for (const phone of ['+49', '0151234567', '+1 000 000 0000', 'phone']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await start(phone), 400, 'VALIDATION_FAILED');
    }
  });

  test('a test number has a fixed code and gets no message, in the test environment only', async () => {
    await changeSettings(latchkey, { testPhoneNumbers: [{ phone: '+15005550006', code: '24682468' }] });
    const { body } = await start('+15005550006');
    assert.equal((await verify(body.flowId, '24682468')).status, 200);
    assert.deepEqual((await latchkey.console('/dev/inbox?to=%2B15005550006')).body.items, []);
    await assert.rejects(
      changeSettings(latchkey, { testPhoneNumbers: [{ phone: '+15005550006', code: '24682468' }] }, 'production'),
    );
  });
});

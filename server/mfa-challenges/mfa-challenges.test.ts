import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import { updateSettings } from '#environments';
import { addMember } from '#members';
import { challengeIn, codesOf, totpOf } from '#tests/factors.ts';
import {
  changeSettings,
  eventsOf,
  expectProblem,
  lastMessage,
  mailedCode,
  managementToken,
  PASSWORD,
  prove,
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

const login = (person: Person, password = PASSWORD) =>
  latchkey.auth('/v1/auth/login/password', { body: { identifier: person.email, password } });
const verify = (body: Record<string, unknown>) => latchkey.auth('/v1/auth/mfa/verify', { body });
const enroll = (mfaToken: string) => latchkey.auth('/v1/auth/mfa/enroll', { body: { mfaToken } });

async function setPolicy(mfa: 'off' | 'optional' | 'required'): Promise<void> {
  await changeSettings(latchkey, { mfa });
}

/** Signs in until the set-up of a first factor, under a policy that requires one. */
async function enrolling(person: Person) {
  const { mfaToken } = challengeIn(await login(person));
  const { body } = await enroll(mfaToken);
  return { mfaToken, factorId: body.id, code: codesOf(body.secret, clock) };
}

const confirm = (body: { mfaToken: string; factorId: string; code: string }) =>
  latchkey.auth('/v1/auth/mfa/enroll/confirm', { body });

async function memberIdOf(person: Person): Promise<string> {
  const token = await managementToken(latchkey);
  return (await latchkey.api(`/v1/admin/members?q=${person.email}`, { token })).body.items[0].id;
}

async function block(person: Person): Promise<void> {
  const path = `/v1/admin/members/${await memberIdOf(person)}/block`;
  const response = await latchkey.api(path, { token: await managementToken(latchkey), method: 'POST' });
  assert.equal(response.status, 200, response.text);
}

async function resetPassword(person: Person): Promise<void> {
  await latchkey.auth('/v1/auth/password/forgot', { body: { identifier: person.email } });
  const { text } = await lastMessage(latchkey, person.email);
  const token = /[?&]token=([\w-]+)/.exec(text)?.[1];
  const response = await latchkey.auth('/v1/auth/password/reset', { body: { token, newPassword: NEXT_PASSWORD } });
  assert.equal(response.status, 204, response.text);
}

describe('what happens between the first factor and the second', () => {
  test('SE-3 a member who is blocked in the meantime cannot enter, with a factor or by setting up one', async () => {
    const [person, newcomer] = [await register(latchkey), await register(latchkey)];
    const app = await totpOf(latchkey, person, clock);
    const { mfaToken } = challengeIn(await login(person));
    await block(person);
    expectProblem(await verify({ mfaToken, code: app.code() }), 403, 'MEMBER_BLOCKED');
    await setPolicy('required');
    const { code, ...begun } = await enrolling(newcomer);
    await block(newcomer);
    expectProblem(await confirm({ ...begun, code: code() }), 403, 'MEMBER_BLOCKED');
    await setPolicy('optional');
  });

  test('SE-3 a sign-in with the old password cannot finish after the password changed', async () => {
    const [person, newcomer] = [await prove(latchkey, await register(latchkey)), await register(latchkey)];
    const app = await totpOf(latchkey, person, clock);
    const { mfaToken } = challengeIn(await login(person));
    await resetPassword(person);
    expectProblem(await verify({ mfaToken, code: app.code() }), 400, 'INVALID_TOKEN');
    assert.equal((await login(person, NEXT_PASSWORD)).body.status, 'mfa_required');
    await setPolicy('required');
    const thief = await enrolling(newcomer);
    await resetPassword(newcomer);
    expectProblem(await confirm({ ...thief, code: thief.code() }), 400, 'INVALID_TOKEN');
    await setPolicy('optional');
  });

  test('SE-3 a sign-in cannot finish after an administrator removed the factors', async () => {
    const person = await register(latchkey);
    const app = await totpOf(latchkey, person, clock);
    const { mfaToken } = challengeIn(await login(person));
    const path = `/v1/admin/members/${await memberIdOf(person)}/reset-mfa`;
    await latchkey.api(path, { token: await managementToken(latchkey), method: 'POST' });
    expectProblem(await verify({ mfaToken, code: app.recoveryCodes[0] }), 400, 'INVALID_TOKEN');
    assert.ok((await eventsOf(latchkey, person.session.userId)).includes('user.mfa.reset'));
    assert.match((await lastMessage(latchkey, person.email)).text, /removed by an administrator/);
  });

  test('a set-up that started before its owner had a factor ends with the first factor, in either order', async () => {
    const person = await register(latchkey);
    await setPolicy('required');
    const [owner, thief] = [await enrolling(person), await enrolling(person)];
    const phone = await latchkey.api('/v1/me/security/mfa/phone', {
      token: person.access_token,
      body: { phone: '+4915199999991' },
    });
    const sent = /\d{8}/.exec((await lastMessage(latchkey, '+4915199999991')).text)?.[0];
    const added = await latchkey.api('/v1/me/security/mfa/phone/confirm', {
      token: person.access_token,
      body: { flowId: phone.body.flowId, code: sent },
    });
    assert.equal(added.status, 200, added.text);
    for (const begun of [owner, thief]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await confirm({ ...begun, code: begun.code() }), 400, 'INVALID_TOKEN');
      expectProblem(await enroll(begun.mfaToken), 400, 'INVALID_TOKEN');
    }
    await setPolicy('optional');
  });

  test('only one of ten parallel set-ups with the same code signs in', async () => {
    const person = await register(latchkey);
    await setPolicy('required');
    const { code, ...begun } = await enrolling(person);
    const value = code();
    const responses = await Promise.all(Array.from({ length: 10 }, () => confirm({ ...begun, code: value })));
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
    await setPolicy('optional');
  });

  test('ten parallel requests for a phone’s code send one message', async () => {
    const person = await register(latchkey);
    const token = person.access_token;
    const phone = '+4915199999992';
    const begun = await latchkey.api('/v1/me/security/mfa/phone', { token, body: { phone } });
    const code = /\d{8}/.exec((await lastMessage(latchkey, phone)).text)?.[0];
    await latchkey.api('/v1/me/security/mfa/phone/confirm', { token, body: { flowId: begun.body.flowId, code } });
    const { mfaToken, factors } = challengeIn(await login(person));
    const factorId = factors.find(({ type }) => type === 'phone')?.id;
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => latchkey.auth('/v1/auth/mfa/challenge', { body: { mfaToken, factorId } })),
    );
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 429, 429, 429]);
    const { body } = await latchkey.console(`/dev/inbox?to=${encodeURIComponent(phone)}`);
    assert.equal(body.items.length, 2, 'one for the set-up, one for the sign-in');
  });
});

describe('a project that requires a second factor', () => {
  test('SE-7 cannot be entered from another project with one factor', async () => {
    const [, second] = latchkey.demo.projects;
    assert.ok(second);
    const person = await register(latchkey);
    await latchkey.inProject((tx) => addMember(tx, person.session.userId), { projectId: second.id });
    await latchkey.inProject((tx) => updateSettings(tx, { mfa: 'required' }), { projectId: second.id });
    const target = { workspaceId: latchkey.demo.workspaceId, projectId: second.id, environment: 'test' };
    const enter = (token: string) => latchkey.auth('/v1/sessions/switch-context', { token, body: target });
    expectProblem(await enter(person.access_token), 401, 'REAUTHENTICATION_REQUIRED');
    const app = await totpOf(latchkey, person, clock);
    const raised = await latchkey.auth('/v1/auth/reauthenticate', {
      token: person.access_token,
      body: { code: app.code() },
    });
    const entered = await enter(raised.body.access_token);
    assert.equal(entered.body.session?.acr, 'aal2', entered.text);
  });
});

describe('amr and acr', () => {
  test('AU-5 an app raises a sign-in by mail to the same level as a sign-in with a password', async () => {
    const person = await prove(latchkey, await register(latchkey));
    const app = await totpOf(latchkey, person, clock);
    await setPolicy('off');
    const { body } = await latchkey.auth('/v1/auth/login/email-code', { body: { email: person.email } });
    const first = await latchkey.auth('/v1/auth/login/email-code/verify', {
      body: { flowId: body.flowId, code: await mailedCode(latchkey, person.email) },
    });
    await setPolicy('optional');
    assert.deepEqual([first.body.session.amr, first.body.session.acr], [['otp'], 'aal1']);
    const raised = await latchkey.auth('/v1/auth/reauthenticate', {
      token: first.body.access_token,
      body: { code: app.code() },
    });
    const { amr, acr } = decodeJwt(raised.body.access_token);
    assert.deepEqual([amr, acr], [['otp', 'mfa'], 'aal2']);
  });

  test('every method is one that RFC 8176 registers', async () => {
    const person = await register(latchkey);
    const app = await totpOf(latchkey, person, clock);
    const { mfaToken } = challengeIn(await login(person));
    const byApp = await verify({ mfaToken, code: app.code() });
    const again = challengeIn(await login(person));
    const byRecoveryCode = await verify({ mfaToken: again.mfaToken, code: app.recoveryCodes[0] });
    for (const { body, text } of [byApp, byRecoveryCode]) {
      const claims = decodeJwt(body.access_token);
      assert.deepEqual(claims['amr'], ['pwd', 'otp', 'mfa'], text);
      assert.equal(claims['acr'], 'aal2');
      assert.equal(claims['auth_time'], Math.floor(clock.now().getTime() / 1000));
    }
  });
});

describe('a sign-in that waits for its second factor', () => {
  test('AU-3 waits as long, and accepts as many wrong codes, as the settings say', async () => {
    await changeSettings(latchkey, { mfaTokenSeconds: 120, oneTimeCodeTries: 2, mfa: 'optional' });
    const person = await register(latchkey);
    const app = await totpOf(latchkey, person, clock);
    const guessed = await login(person);
    assert.equal(guessed.body.expiresIn, 120);
    const { mfaToken } = challengeIn(guessed);
    const wrong = app.code() === '000000' ? '000001' : '000000';
    const guess = () => verify({ mfaToken, factorId: app.id, code: wrong });
    await Promise.all([guess(), guess(), guess()]);
    expectProblem(await verify({ mfaToken, factorId: app.id, code: app.code() }), 400, 'INVALID_TOKEN');
    const late = challengeIn(await login(person)).mfaToken;
    clock.advance(121_000);
    expectProblem(await verify({ mfaToken: late, factorId: app.id, code: app.code() }), 400, 'INVALID_TOKEN');
    await changeSettings(latchkey, { mfaTokenSeconds: 600, oneTimeCodeTries: 5 });
  });
});

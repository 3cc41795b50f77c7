import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Authenticator, type Deviation, softwareAuthenticator } from '#tests/authenticator.ts';
import { challengeIn } from '#tests/factors.ts';
import {
  expectProblem,
  lastMessage,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';

const APPLICATION = 'http://localhost:5173';
const PATH = '/v1/me/security/passkeys';

const clock = new TestClock();
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

type Person = Awaited<ReturnType<typeof register>>;

const newAuthenticator = () => softwareAuthenticator(latchkey.system.config.addresses.test.auth);
const creation = async ({ access_token: token }: Person) =>
  (await latchkey.api(`${PATH}/options`, { token, body: {} })).body;
const request = async () => (await latchkey.auth('/v1/auth/login/passkey/options', { body: {} })).body;
const save = ({ access_token: token }: Person, body: Record<string, unknown>) => latchkey.api(PATH, { token, body });
const signIn = (body: Record<string, unknown>) => latchkey.auth('/v1/auth/login/passkey/verify', { body });

/** Adds a passkey to a person's account. */
async function add(person: Person, key: Authenticator, deviation: Deviation = {}, more: Record<string, unknown> = {}) {
  const { flowId, options } = await creation(person);
  return save(person, { flowId, response: key.create(options, deviation), ...more });
}

/** Signs in with a passkey. */
async function use(key: Authenticator, deviation: Deviation = {}) {
  const { flowId, options } = await request();
  return signIn({ flowId, response: key.get(options, deviation) });
}

/** A person with a working passkey. */
async function withPasskey(deviation: Deviation = {}): Promise<{ person: Person; key: Authenticator }> {
  const [person, key] = [await register(latchkey), newAuthenticator()];
  const added = await add(person, key, deviation);
  assert.equal(added.status, 201, added.text);
  return { person, key };
}

const WRONG: Record<string, Deviation> = {
  'another origin': { origin: 'https://evil.example' },
  'another port of this host, of no application': { origin: 'http://localhost:5999' },
  'another relying party': { rpId: 'evil.example' },
  'another challenge': { challenge: Buffer.alloc(32, 1).toString('base64url') },
  'nobody present': { userPresent: false },
  'nobody verified': { userVerified: false },
};

describe('a new passkey', () => {
  for (const [what, deviation] of Object.entries({ ...WRONG, 'the response of a sign-in': { type: 'webauthn.get' } }))
    test(`AU-5 is refused: ${what}`, async () => {
      const person = await register(latchkey);
      expectProblem(await add(person, newAuthenticator(), deviation), 401, 'INVALID_CODE');
      assert.equal((await add(person, newAuthenticator())).status, 201);
    });

  test('is called what its maker is called, unless the person names it or nobody knows the maker', async () => {
    const person = await register(latchkey);
    const onePassword = { aaguid: 'bada5566a7aa401fbd9645619a55120d' };
    const added = [
      await add(person, newAuthenticator(), onePassword),
      await add(person, newAuthenticator(), onePassword, { name: 'Work' }),
      await add(person, newAuthenticator()),
    ];
    // The client of this test names no browser.
    assert.deepEqual(
      added.map(({ body }) => body.name),
      ['1Password', 'Work', 'node'],
    );
  });

  test('needs a challenge of the same user, once, within five minutes', async () => {
    const [person, stranger] = [await register(latchkey), await register(latchkey)];
    const asked = await creation(person);
    const response = newAuthenticator().create(asked.options);
    expectProblem(await save(stranger, { flowId: asked.flowId, response }), 401, 'INVALID_CODE');
    const again = await creation(person);
    const key = newAuthenticator();
    const result = { flowId: again.flowId, response: key.create(again.options) };
    const responses = await Promise.all(Array.from({ length: 10 }, () => save(person, result)));
    assert.equal(responses.filter(({ status }) => status === 201).length, 1);
    const late = await creation(person);
    clock.advance(301_000);
    const slow = { flowId: late.flowId, response: newAuthenticator().create(late.options) };
    expectProblem(await save(person, slow), 401, 'INVALID_CODE');
  });

  test('belongs to one account: another gets 409 ALREADY_EXISTS, and the browser is asked to exclude the key', async () => {
    const { person, key } = await withPasskey();
    expectProblem(await add(await register(latchkey), key), 409, 'ALREADY_EXISTS');
    const { options } = await creation(person);
    assert.deepEqual(
      options.excludeCredentials.map(({ id }: { id: string }) => id),
      [key.id],
    );
    assert.equal(options.authenticatorSelection.userVerification, 'required');
    assert.equal(options.authenticatorSelection.residentKey, 'required');
  });

  test('can be created on a page of the project’s applications', async () => {
    const [person, key] = [await register(latchkey), newAuthenticator()];
    assert.equal((await add(person, key, { origin: APPLICATION })).status, 201);
    assert.equal((await use(key, { origin: APPLICATION })).status, 200);
  });

  test('is refused when the account has twenty', async () => {
    const person = await register(latchkey);
    for (let count = 0; count < 20; count += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await add(person, newAuthenticator())).status, 201);
    }
    const { access_token: token } = person;
    expectProblem(await latchkey.api(`${PATH}/options`, { token, body: {} }), 409, 'CONFLICT');
  });
});

describe('signing in with a passkey', () => {
  const more: Record<string, Deviation> = {
    'another key': { otherKey: true },
    'the response to a creation': { type: 'webauthn.create' },
    'somebody else’s user handle': { userHandle: Buffer.from('usr_00000000000000000000000000').toString('base64url') },
  };
  for (const [what, deviation] of Object.entries({ ...WRONG, ...more }))
    test(`AU-5 is refused: ${what}`, async () => {
      const { key } = await withPasskey();
      expectProblem(await use(key, deviation), 401, 'INVALID_CREDENTIALS');
      assert.equal((await use(key)).status, 200);
    });

  test('AU-6 an unknown key, a late response and a wrong response get the same refusal', async () => {
    const { key } = await withPasskey();
    const late = await request();
    const response = key.get(late.options);
    clock.advance(301_000);
    const responses = [
      await use(newAuthenticator(), { userHandle: Buffer.from('usr_0').toString('base64url') }),
      await signIn({ flowId: late.flowId, response }),
      await use(key, { otherKey: true }),
    ];
    const told = responses.map(({ status, body: { errorCode, detail, title } }) => ({
      status,
      errorCode,
      detail,
      title,
    }));
    assert.deepEqual(told[0], told[1]);
    assert.deepEqual(told[1], told[2]);
    assert.equal(late.options.allowCredentials, undefined, 'the options name no credential');
  });

  test('a counter that stands still or goes back indicates a copied key and is refused', async () => {
    const { key } = await withPasskey({ counter: 5 });
    assert.equal((await use(key, { counter: 6 })).status, 200);
    for (const counter of [6, 5, 0]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await use(key, { counter }), 401, 'INVALID_CREDENTIALS');
    }
    assert.equal((await use(key, { counter: 7 })).status, 200);
  });

  test('only one of several parallel responses with the same counter is accepted; a key without a counter has no order', async () => {
    const { key } = await withPasskey({ counter: 1 });
    const counted = await Promise.all(Array.from({ length: 5 }, () => use(key, { counter: 2 })));
    assert.equal(counted.filter(({ status }) => status === 200).length, 1);
    const { key: synced } = await withPasskey({ synced: true });
    const free = await Promise.all(Array.from({ length: 5 }, () => use(synced, { synced: true })));
    assert.ok(free.every(({ status }) => status === 200));
  });

  test('AU-5 a synced passkey is accepted with user verification; amr distinguishes hardware keys from software keys', async () => {
    const { key } = await withPasskey();
    const { key: synced } = await withPasskey({ synced: true });
    const one = await use(key);
    const two = await use(synced, { synced: true });
    assert.deepEqual([one.body.session.amr, one.body.session.acr], [['hwk', 'user', 'mfa'], 'aal2']);
    assert.deepEqual([two.body.session.amr, two.body.session.acr], [['swk', 'user', 'mfa'], 'aal2']);
  });
});

describe('a passkey as a fresh proof', () => {
  test('SE-1 raises the level of the session; another user’s passkey does not', async () => {
    const { person, key } = await withPasskey();
    const { key: theirs } = await withPasskey();
    const again = async (with_: Authenticator) => {
      const { flowId, options } = await request();
      const body = { flowId, response: with_.get(options) };
      return latchkey.auth('/v1/auth/reauthenticate', { token: person.access_token, body });
    };
    expectProblem(await again(theirs), 401, 'INVALID_CODE');
    const raised = await again(key);
    assert.deepEqual([raised.body.session?.amr, raised.body.session?.acr], [['pwd', 'hwk', 'user', 'mfa'], 'aal2']);
    expectProblem(await latchkey.api('/v1/me/context', { token: person.access_token }), 401, 'SESSION_REVOKED');
  });
});

describe('a passkey as second factor', () => {
  const login = (person: Person) =>
    latchkey.auth('/v1/auth/login/password', { body: { identifier: person.email, password: PASSWORD } });

  test('AU-7 its owner is notified when it becomes a factor or stops being one, not when it is renamed; recovery codes follow it', async () => {
    const { person } = await withPasskey();
    const token = person.access_token;
    const [passkey] = (await latchkey.api('/v1/me/security', { token })).body.passkeys;
    const change = (body: Record<string, unknown>, as = token) =>
      latchkey.api(`${PATH}/${passkey.id}`, { token: as, method: 'PATCH', body });
    const mails = async () => (await latchkey.console(`/dev/inbox?to=${encodeURIComponent(person.email)}`)).body.items;
    const before = (await mails()).length;
    assert.equal((await change({ name: 'Key' })).body.recoveryCodes, undefined);
    assert.equal((await mails()).length, before);
    const on = await change({ secondFactor: true });
    assert.equal(on.body.recoveryCodes?.length, 10, on.text);
    assert.match((await lastMessage(latchkey, person.email)).text, /passkey .* as a second step/);
    const { mfaToken } = challengeIn(await login(person));
    const recovered = await latchkey.auth('/v1/auth/mfa/verify', {
      body: { mfaToken, code: on.body.recoveryCodes[0] },
    });
    assert.equal(recovered.body.session?.acr, 'aal2', recovered.text);
    const proven = recovered.body.access_token;
    await change({ secondFactor: false }, proven);
    assert.equal((await mails()).length, before + 3, 'on, a recovery code used, off');
    assert.equal((await latchkey.api('/v1/me/security', { token: proven })).body.recoveryCodesLeft, 0);
    assert.ok((await login(person)).body.access_token);
  });

  test('adding one creates recovery codes, and removing it deletes them', async () => {
    const person = await register(latchkey);
    const { access_token: token } = person;
    const added = await add(person, newAuthenticator(), {}, { secondFactor: true });
    assert.equal(added.body.recoveryCodes?.length, 10, added.text);
    assert.equal((await login(person)).body.status, 'mfa_required');
    assert.equal((await latchkey.api(`${PATH}/${added.body.id}`, { token, method: 'DELETE' })).status, 204);
    assert.equal((await latchkey.api('/v1/me/security', { token })).body.recoveryCodesLeft, 0);
    assert.ok((await login(person)).body.access_token);
  });
});

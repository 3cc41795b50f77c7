import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addMember } from '#members';
import { createUser } from '#people';
import { actionsOf, allows, refuses, type TestActions } from '#tests/actions.ts';
import {
  changeSettings,
  eventsOf,
  expectProblem,
  newEmail,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { type Behaviour, type Receiver, respondWith, startReceiver } from '#tests/receiver.ts';

const PATH = '/old-system';
const OLD = 'the password of the old system';

let latchkey: TestLatchkey;
let receiver: Receiver;
let actions: TestActions;
const lines: string[] = [];
before(async () => {
  [latchkey, receiver] = await Promise.all([startTestLatchkey({ log: (line) => lines.push(line) }), startReceiver()]);
  actions = await actionsOf(latchkey, receiver);
  await actions.add('password', allows, { url: receiver.origin + PATH });
});
after(() => Promise.all([latchkey.stop(), receiver.stop()]));

const login = (identifier: string, password = OLD, headers = {}): Promise<TestResponse> =>
  latchkey.auth('/v1/auth/login/password', { body: { identifier, password }, headers });
const asked = () => receiver.at(PATH).map(({ body }) => JSON.parse(body));
const askedAbout = (email: string) => asked().filter(({ identifier }) => identifier.value === email).length;

/** Knows these addresses with the old password. */
const knows =
  (emails: readonly string[], emailVerified = true): Behaviour =>
  (response, { body }) => {
    const { identifier, password } = JSON.parse(body);
    const isRight = emails.includes(identifier.value) && password === OLD;
    const profile = { displayName: 'Ada Lovelace' };
    const allowed = { decision: 'allow', emailVerified, profile };
    response.writeHead(200).end(JSON.stringify(isRight ? allowed : { decision: 'refuse' }));
  };

const imported = (email: string) =>
  latchkey.inProject(async (tx) => {
    const address = { kind: 'email', value: email, verified: true } as const;
    const userId = await createUser(tx, { address, passwordHash: null, profile: {} });
    await addMember(tx, userId);
    return userId;
  });

describe('moving in at the first sign-in', () => {
  test('creates the person with the password and the profile, also where registration is closed, and never asks again', async () => {
    const email = newEmail();
    receiver.on(PATH, knows([email]));
    await changeSettings(latchkey, { registration: 'closed' });
    const first = await login(email);
    await changeSettings(latchkey, { registration: 'open' });
    assert.equal(first.status, 200, first.text);
    const { body: profile } = await latchkey.api('/v1/me/profile', { token: first.body.access_token });
    assert.deepEqual([profile.displayName, profile.email, profile.emailVerified], ['Ada Lovelace', email, true]);
    assert.ok((await eventsOf(latchkey, first.body.session.userId)).includes('user.moved_in'));
    receiver.on(PATH, respondWith(500));
    const second = await login(email);
    assert.equal(second.body.session.userId, first.body.session.userId);
    assert.equal(askedAbout(email), 1);
  });

  test('asks about the registration first: who is refused gets no account, however often they try', async () => {
    const email = newEmail();
    receiver.on(PATH, knows([email]));
    const registering = await actions.add('registration', refuses);
    const entering = await actions.add('sign_in', allows);
    expectProblem(await login(email), 403, 'REFUSED_BY_ACTION');
    expectProblem(await login(email), 403, 'REFUSED_BY_ACTION');
    const people = () => latchkey.system.pool.query('select user_id from identifiers where value = $1', [email]);
    assert.equal((await people()).rows.length, 0);
    receiver.on(registering.path, allows);
    const signedIn = await login(email, OLD, { 'idempotency-key': 'moves-in' });
    assert.equal(signedIn.status, 200, signedIn.text);
    assert.deepEqual(
      actions
        .bodiesAt(registering.path)
        .map(({ entrance, person }) => [entrance, person.id, person.email, person.emailVerified]),
      Array(3).fill(['password', null, email, true]),
    );
    assert.equal(receiver.at(entering.path).length, 1);
    await Promise.all([registering, entering].map(({ id }) => actions.remove(id)));
  });

  test('a wrong password and an unknown address are refused alike, and count as failures', async () => {
    const email = newEmail();
    receiver.on(PATH, knows([email]));
    expectProblem(await login(email, 'another password'), 401, 'INVALID_CREDENTIALS');
    expectProblem(await login(newEmail()), 401, 'INVALID_CREDENTIALS');
    const tried: TestResponse[] = [];
    for (let attempt = 0; attempt < 20 && tried.at(-1)?.body.errorCode !== 'ACCOUNT_THROTTLED'; attempt += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      tried.push(await login(email, `guess ${attempt}`));
    }
    assert.equal(tried.at(-1)?.body.errorCode, 'ACCOUNT_THROTTLED');
    const before = askedAbout(email);
    expectProblem(await login(email), 429, 'ACCOUNT_THROTTLED');
    assert.equal(askedAbout(email), before, 'a throttled attempt asks nobody');
  });

  test('while the old system is away, people can try again later, and those who have moved sign in', async () => {
    const moved = await register(latchkey);
    receiver.on(PATH, respondWith(503));
    const unknown = await login(newEmail());
    expectProblem(unknown, 503, 'SERVICE_UNAVAILABLE');
    assert.ok(unknown.headers.get('retry-after'));
    expectProblem(await login(moved.email, 'a wrong password'), 503, 'SERVICE_UNAVAILABLE');
    assert.equal((await login(moved.email, PASSWORD)).status, 200);
    receiver.on(PATH, knows([]));
  });

  test('a wrong password of somebody who has one here sends a decoy, and nothing of theirs', async () => {
    const person = await register(latchkey);
    receiver.on(PATH, knows([person.email]));
    const before = asked().length;
    expectProblem(await login(person.email), 401, 'INVALID_CREDENTIALS');
    assert.equal(asked().length, before + 1);
    const { identifier, password } = asked().at(-1);
    assert.match(identifier.value, /@nobody\.invalid$/);
    assert.notEqual(password, OLD);
  });

  test('an imported person without a password gets it, but not one who has signed in, nor by an unverified address', async () => {
    const [fresh, used, unverified] = [newEmail(), newEmail(), newEmail()];
    const userId = await imported(fresh);
    receiver.on(PATH, knows([fresh, used]));
    const first = await login(fresh);
    assert.equal(first.body.session?.userId, userId, first.text);
    const signedIn = await imported(used);
    await latchkey.system.pool.query(`update members set last_seen_at = now() where user_id = $1`, [signedIn]);
    expectProblem(await login(used), 401, 'INVALID_CREDENTIALS');
    assert.equal(askedAbout(used), 0);
    await imported(unverified);
    receiver.on(PATH, knows([unverified], false));
    expectProblem(await login(unverified), 401, 'INVALID_CREDENTIALS');
  });

  test('ten first sign-ins at once create one person', async () => {
    const email = newEmail();
    receiver.on(PATH, knows([email]));
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, n) => login(email, OLD, { 'x-forwarded-for': `10.8.0.${n}` })),
    );
    const signedIn = responses.filter(({ status }) => status === 200);
    assert.ok(signedIn.length > 0);
    assert.equal(new Set(signedIn.map(({ body }) => body.session.userId)).size, 1);
    const { rows } = await latchkey.system.pool.query(
      `select count(*)::int as people from identifiers where value = $1`,
      [email],
    );
    assert.equal(rows[0].people, 1);
  });

  test('no password is in the log, nor in the log of the action', async () => {
    const { rows } = await latchkey.system.pool.query('select row_to_json(c)::text as call from action_calls c');
    const everything = [...lines, ...rows.map(({ call }) => call)].join('\n');
    assert.ok(rows.length > 0 && !everything.includes(OLD));
  });
});

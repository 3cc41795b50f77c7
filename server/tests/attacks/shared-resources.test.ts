import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hash } from '@node-rs/argon2';
import { dearHashes, isPasswordHash, verifyPassword } from '#passwords';
import { FairQueue } from '#platform/fair-queue.ts';
import {
  changeSettings,
  mailedCode,
  managementToken,
  newEmail,
  ownerToken,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { solve } from '#tests/proof-of-work.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ clock, passwordCost: 'full' });
});
after(() => latchkey.stop());

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const from = (ip: string) => ({ 'x-forwarded-for': ip });

/** How many responses of each status there were. */
function statuses(responses: { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('work that holds a connection asks for no second one', () => {
  test('forty concurrent resends of messages all succeed, and so does another request', async () => {
    const { access_token: token } = await register(latchkey);
    const flows = await Promise.all(
      range(40).map(async (n) => {
        const { body } = await latchkey.auth('/v1/auth/login/magic-link', {
          body: { email: newEmail() },
          headers: from(`198.18.20.${n}`),
        });
        return body.flowId;
      }),
    );
    clock.advance(31_000);
    const [again, bystander] = await Promise.all([
      Promise.all(
        flows.map((flowId, n) =>
          latchkey.auth('/v1/auth/email/resend', { body: { flowId }, headers: from(`198.18.20.${n}`) }),
        ),
      ),
      latchkey.api('/v1/me/profile', { token }),
    ]);
    assert.deepEqual(statuses([...again, bystander]), { 200: 1, 202: 40 });
  });

  test('forty concurrent invitations with a role are all created', async () => {
    const token = await ownerToken(latchkey);
    const responses = await Promise.all(
      range(40).map(() =>
        latchkey.api('/v1/admin/invitations', { token, body: { email: newEmail(), roles: ['viewer'] } }),
      ),
    );
    assert.deepEqual(statuses(responses), { 201: 40 });
  });

  test('forty concurrent new members with a role are all created', async () => {
    const token = await managementToken(latchkey);
    const responses = await Promise.all(
      range(40).map(() => latchkey.api('/v1/admin/members', { token, body: { email: newEmail() } })),
    );
    assert.deepEqual(statuses(responses), { 201: 40 });
  });
});

describe('a request with an Idempotency-Key', () => {
  const keyed = (path: string, body: Record<string, unknown>, token?: string) =>
    latchkey.auth(path, { body, headers: { 'idempotency-key': crypto.randomUUID() }, ...(token && { token }) });

  test('holds no connection while a password is hashed, on every route that hashes', async () => {
    const email = newEmail();
    const made = await keyed('/v1/auth/register', { email, password: PASSWORD });
    assert.equal(made.status, 200, made.text);
    const token = made.body.access_token;
    assert.equal((await keyed('/v1/auth/login/password', { identifier: email, password: PASSWORD })).status, 200);
    assert.equal((await keyed('/v1/auth/login/password', { identifier: email, password: 'wrong' })).status, 401);
    assert.equal((await keyed('/v1/auth/reauthenticate', { password: PASSWORD }, token)).status, 200);
    await latchkey.auth('/v1/auth/password/forgot', { body: { identifier: email } });
    const { rows } = await latchkey.system.pool.query(`select id from flows where address = $1 order by id desc`, [
      email,
    ]);
    const code = await mailedCode(latchkey, email);
    const reset = await keyed('/v1/auth/password/reset', { flowId: rows[0].id, code, newPassword: `${PASSWORD} 2` });
    assert.equal(reset.status, 204, reset.text);
    const member = await latchkey.api('/v1/admin/members', {
      token: await managementToken(latchkey),
      body: { email: newEmail(), password: PASSWORD },
      headers: { 'idempotency-key': 'hashes' },
    });
    assert.equal(member.status, 201, member.text);
  });

  test('holds no connection while a password is hashed if a proof of work is required', async () => {
    await changeSettings(latchkey, { proofOfWork: 'required' });
    try {
      const { body } = await latchkey.auth('/v1/auth/challenge');
      const { algorithm, challenge, salt, signature } = body;
      const payload = { algorithm, challenge, salt, signature, number: solve(body) };
      const proof = Buffer.from(JSON.stringify(payload)).toString('base64');
      const response = await keyed('/v1/auth/login/password', { identifier: newEmail(), password: 'wrong', proof });
      assert.equal(response.status, 401, response.text);
    } finally {
      await changeSettings(latchkey, { proofOfWork: 'off' });
    }
  });
});

describe('a queue', () => {
  test('gives callers turns, so that a caller with many requests delays only itself', async () => {
    const queue = new FairQueue({ atOnce: 1, waiting: 100 });
    const order: string[] = [];
    const work = (caller: string) => queue.run(caller, async () => order.push(caller));
    await Promise.all([...range(20).map(() => work('flood')), work('other')]);
    assert.ok(order.indexOf('other') <= 2, order.join());
  });

  test('leaves capacity beside one caller', async () => {
    const queue = new FairQueue({ atOnce: 6, atOncePerCaller: 3, waiting: 100 });
    const held = await Promise.all(range(3).map(() => queue.take('flood')));
    const fourth = queue.take('flood');
    const other = await queue.take('other');
    assert.equal(queue.waiting, 1);
    for (const end of [...held, other]) end();
    (await fourth)();
  });

  test('refuses the caller with the longest line when too many wait', async () => {
    const queue = new FairQueue({ atOnce: 1, waiting: 10 });
    const end = await queue.take('first');
    const turn = async (caller: string) => (await queue.take(caller))();
    const refused = Promise.allSettled(range(10).map(() => turn('flood')));
    const other = turn('other');
    end();
    await other;
    assert.equal((await refused).filter(({ status }) => status === 'rejected').length, 1);
  });

  test('refuses a caller that waits too long', async () => {
    const queue = new FairQueue({ atOnce: 1, waiting: 10, waitSeconds: 0.01 });
    const end = await queue.take('first');
    await assert.rejects(queue.take('second'), { code: 'SERVICE_UNAVAILABLE' });
    end();
    (await queue.take('third'))();
  });
});

describe('imported password hashes', () => {
  const argon2 = (m: number, t: number) => `$argon2id$v=19$m=${m},t=${t},p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2g`;

  for (const [dear, stored] of Object.entries({
    'Argon2 with 1 GiB': argon2(1_048_576, 1),
    'Argon2 with 64 passes over 64 MiB': argon2(65_536, 64),
    'scrypt with 8 GiB': '$scrypt$ln=20,r=64,p=1$c2FsdA==$aGFzaA==',
    'scrypt of N = 2^30': '$scrypt$ln=30,r=8,p=1$c2FsdA==$aGFzaA==',
    'PBKDF2 with two thousand million rounds': '$pbkdf2-sha256$i=2000000000$c2FsdA==$aGFzaA==',
    'PBKDF2 with a result of many blocks': `$pbkdf2-sha1$i=600000$c2FsdA==$${'aGFzaA'.repeat(300)}`,
    'bcrypt of cost 16': `$2b$16$${'a'.repeat(53)}`,
    'Argon2 without a pass': argon2(65_536, 0),
  }))
    test(`are refused: ${dear}`, () => assert.equal(isPasswordHash(stored), false));

  for (const [usual, stored] of Object.entries({
    'Argon2 as PHP makes it': argon2(65_536, 4),
    'scrypt as Firebase makes it': '$firebase-scrypt$ln=14,r=8,ss=Bw==,sk=c2ln$c2FsdA==$aGFzaA==',
    'PBKDF2 as Django makes it': `pbkdf2_sha256$1200000$salt$${'A'.repeat(43)}=`,
    'bcrypt of cost 12': `$2b$12$${'a'.repeat(53)}`,
  }))
    test(`are accepted: ${usual}`, () => assert.equal(isPasswordHash(stored), true));

  test('with a high cost are checked one at a time, in parallel to the others', async () => {
    const scope = { workspaceId: latchkey.demo.workspaceId, projectId: firstProject(), environment: 'test' } as const;
    const asker = { system: latchkey.system, scope };
    const dear = await hash(PASSWORD, { memoryCost: 65_536, timeCost: 8, parallelism: 1 });
    let done = 0;
    const slow = range(4).map(async () => {
      assert.equal(await verifyPassword(asker, dear, PASSWORD), true);
      done += 1;
    });
    assert.equal(await verifyPassword(asker, null, PASSWORD), false);
    assert.ok(done < 4, 'the usual hash waited for all the dear ones');
    await Promise.all(slow);
  });

  test('that are stored already and exceed the limit are listed by doctor, work, and are replaced', async () => {
    const { email, session } = await register(latchkey);
    const stored = await hash(PASSWORD, { memoryCost: 140_000, timeCost: 1, parallelism: 1 });
    await latchkey.system.pool.query('update passwords set hash = $1 where user_id = $2', [stored, session.userId]);
    const named = { workspaceId: latchkey.demo.workspaceId, environment: 'test', count: 1 };
    assert.deepEqual(await dearHashes(latchkey.system), [named]);
    const response = await latchkey.auth('/v1/auth/login/password', {
      body: { identifier: email, password: PASSWORD },
    });
    assert.equal(response.status, 200, response.text);
    assert.deepEqual(await dearHashes(latchkey.system), []);
  });
});

function firstProject() {
  const [first] = latchkey.demo.projects;
  assert.ok(first);
  return first.id;
}

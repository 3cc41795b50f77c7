import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { eventually, managementToken, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { waitsForLock } from '#tests/locks.ts';
import { rotateDueKeys, rotateKeys, rotateKeysNow } from './rotation.ts';
import { signingKeys } from './signing-keys.ts';

const DAY_MS = 86_400_000;
const clock = new TestClock();
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

const published = async () =>
  (await latchkey.auth('/connect/jwks')).body.keys.map(({ kid, alg }: { kid: string; alg: string }) => `${alg} ${kid}`);
const signingKid = async () => decodeProtectedHeader(await managementToken(latchkey)).kid;

describe('the rotation of signing keys', () => {
  test('does nothing while the keys are young, in any process', async () => {
    const before = await published();
    await Promise.all(Array.from({ length: 5 }, () => rotateDueKeys(latchkey.system)));
    assert.deepEqual(await published(), before);
    assert.equal(before.length, 2);
  });

  test('publishes the next key of each algorithm ahead, once; signs with it later; finally drops the old one', async () => {
    const old = await signingKid();
    clock.advance(89 * DAY_MS);
    await Promise.all(Array.from({ length: 5 }, () => rotateDueKeys(latchkey.system)));
    await eventually(async () => assert.equal((await published()).length, 4));
    assert.equal(await signingKid(), old);
    const early = await managementToken(latchkey);
    clock.advance(2 * DAY_MS);
    const next = await signingKid();
    assert.notEqual(next, old);
    assert.ok(
      (await published()).some((key: string) => key.endsWith(String(old))),
      'tokens of the old key can be checked',
    );
    assert.equal((await latchkey.api('/v1/admin/roles', { token: early })).status, 401, 'that one is two days old');
    clock.advance(DAY_MS + 1_000);
    assert.ok(!(await published()).some((key: string) => key.endsWith(String(old))));
    assert.equal((await published()).length, 2);
    assert.equal(await signingKid(), next);
  });

  test('can be started manually', async () => {
    const [before, rotated] = [await published(), await rotateKeys(latchkey.system, 'test')];
    assert.equal(rotated.length, 2);
    await eventually(async () => assert.equal((await published()).length, before.length + 2));
  });
});

describe('an emergency rotation', () => {
  // Two keys of one instant have no defined order.
  beforeEach(() => clock.advance(1_000));

  test('signs with new keys at once; earlier keys still verify what they signed', async () => {
    const [old, token] = [await signingKid(), await managementToken(latchkey)];
    await rotateKeysNow(latchkey.system, 'test', []);
    await eventually(async () => assert.notEqual(await signingKid(), old));
    assert.ok((await published()).some((key: string) => key.endsWith(String(old))));
    assert.equal((await latchkey.api('/v1/admin/roles', { token })).status, 200);
  });

  test('refuses every token that a retired key signed, also one that was accepted a moment before', async () => {
    const [old, token] = [String(await signingKid()), await managementToken(latchkey)];
    assert.equal((await latchkey.api('/v1/admin/roles', { token })).status, 200);
    await rotateKeysNow(latchkey.system, 'test', [old]);
    await eventually(async () => {
      const refused = await latchkey.api('/v1/admin/roles', { token });
      assert.equal(refused.status, 401, refused.text);
    });
    assert.ok(!(await published()).some((key: string) => key.endsWith(old)));
    assert.equal((await latchkey.api('/v1/admin/roles', { token: await managementToken(latchkey) })).status, 200);
  });

  test('drops keys published ahead, which never sign', async () => {
    const ahead = await rotateKeys(latchkey.system, 'test');
    clock.advance(1_000);
    await rotateKeysNow(latchkey.system, 'test', []);
    await eventually(async () =>
      assert.ok((await published()).every((key: string) => !ahead.some((id) => key.endsWith(id)))),
    );
    const signs = await signingKid();
    clock.advance(2 * DAY_MS);
    assert.equal(await signingKid(), signs);
  });
});

describe('a process that is told of a change of the keys', () => {
  const tell = () => latchkey.system.pool.query(`select pg_notify('latchkey_changes', 'signing-keys test')`);
  /** A published key that signs nothing. */
  const spareKid = async (): Promise<string> => {
    await rotateKeys(latchkey.system, 'test');
    const signing = String(await signingKid());
    return eventually(async () => {
      const spare = (await published()).find((key: string) => key.startsWith('ES256') && !key.endsWith(signing));
      assert.ok(spare);
      return spare.slice('ES256 '.length);
    });
  };
  // The provider reads the keys by itself when it is asked; a process without one relies on what it is told.
  const isKnown = (kid: string) => signingKeys(latchkey.system, 'test').isPublished(kid);

  test('reads them again if the database ended the connection of the first read', async () => {
    const kid = await spareKid();
    const { pool } = latchkey.system;
    const other = await pool.connect();
    await other.query('begin');
    await other.query('lock table signing_keys');
    await other.query('delete from signing_keys where id = $1', [kid]);
    await tell();
    await waitsForLock(latchkey);
    await pool.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    await other.query('commit');
    other.release();
    await eventually(async () => assert.ok(!isKnown(kid)));
  });

  test('reads them again if it was reading when the change came', async (t) => {
    const kid = await spareKid();
    const { pool } = latchkey.system;
    const other = await pool.connect();
    t.after(async () => {
      await other.query('drop view signing_keys; alter table stored_keys rename to signing_keys');
      other.release();
    });
    await other.query(`
      alter table signing_keys rename to stored_keys;
      create view signing_keys as select stored_keys.* from stored_keys, (select pg_advisory_xact_lock(1)) as slow;
      select pg_advisory_lock(1)`);
    await tell();
    await waitsForLock(latchkey);
    await other.query('delete from stored_keys where id = $1', [kid]);
    await tell();
    await other.query('select pg_advisory_unlock(1)');
    await eventually(async () => assert.ok(!isKnown(kid)));
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  changeSettings,
  eventsOf,
  expectProblem,
  mailedToken,
  newEmail,
  ownerToken,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
  await changeSettings(latchkey, { registration: 'closed' });
  token = await ownerToken(latchkey);
});
after(() => latchkey.stop());

const invite = (email: string, roles: string[] = []) =>
  latchkey.api('/v1/admin/invitations', { token, body: { email, roles } });
const accept = (body: Record<string, unknown>, as?: string) =>
  latchkey.auth('/v1/auth/invitations/accept', { body, ...(as && { token: as }) });

describe('an invitation', () => {
  test('admits a new person although registration is closed, with its roles and a verified address', async () => {
    const email = newEmail();
    const { status, body } = await invite(email, ['admin']);
    assert.deepEqual([status, body.status, body.email], [201, 'pending', email]);
    const accepted = await accept({ token: await mailedToken(latchkey, email), password: PASSWORD });
    assert.equal(accepted.status, 200, accepted.text);
    const me = await latchkey.api('/v1/me/context', { token: accepted.body.access_token });
    assert.equal(me.status, 200);
    const { body: granted } = await latchkey.api('/v1/me/authorization', { token: accepted.body.access_token });
    assert.ok(JSON.stringify(granted).includes('"admin"'));
    const { body: profile } = await latchkey.api('/v1/me/profile', { token: accepted.body.access_token });
    assert.deepEqual([profile.email, profile.emailVerified], [email, true]);
    const { body: shown } = await latchkey.api(`/v1/admin/invitations/${body.id}`, { token });
    assert.equal(shown.status, 'accepted');
    assert.ok((await eventsOf(latchkey, accepted.body.session.userId)).includes('membership.created'));
  });

  test('is accepted by the owner of an existing account only after signing in to it', async () => {
    await changeSettings(latchkey, { registration: 'open' });
    const [owner, other] = [await register(latchkey), await register(latchkey)];
    await changeSettings(latchkey, { registration: 'closed' });
    assert.equal((await invite(owner.email, ['admin'])).status, 201);
    const mailed = await mailedToken(latchkey, owner.email);
    expectProblem(await accept({ token: mailed, password: PASSWORD }), 401, 'AUTHENTICATION_REQUIRED');
    const wrong = await accept({ token: mailed }, other.access_token);
    assert.ok([400, 403, 409].includes(wrong.status), wrong.text);
    const accepted = await accept({ token: mailed }, owner.access_token);
    assert.equal(accepted.status, 200, accepted.text);
    assert.equal(accepted.body.session.userId, owner.session.userId);
  });

  test('works once, of twenty concurrent uses', async () => {
    const email = newEmail();
    await invite(email);
    const mailed = await mailedToken(latchkey, email);
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => accept({ token: mailed, password: PASSWORD })),
    );
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
    const { rows } = await latchkey.system.pool.query('select count(*) from identifiers where value = $1', [email]);
    assert.equal(Number(rows[0].count), 1);
  });

  test('does not work when it is revoked, expired or replaced by a newer mail', async () => {
    const email = newEmail();
    const { body } = await invite(email);
    const first = await mailedToken(latchkey, email);
    clock.advance(60_000);
    assert.equal(
      (await latchkey.api(`/v1/admin/invitations/${body.id}/resend`, { token, method: 'POST' })).status,
      200,
    );
    expectProblem(await accept({ token: first, password: PASSWORD }), 400, 'INVALID_TOKEN');
    const second = await mailedToken(latchkey, email);
    const revoked = await latchkey.api(`/v1/admin/invitations/${body.id}`, { token, method: 'DELETE' });
    assert.equal(revoked.status, 204);
    expectProblem(await accept({ token: second, password: PASSWORD }), 400, 'INVALID_TOKEN');
    const late = newEmail();
    await invite(late);
    const mailed = await mailedToken(latchkey, late);
    clock.advance(8 * 86_400_000);
    token = await ownerToken(latchkey);
    expectProblem(await accept({ token: mailed, password: PASSWORD }), 400, 'INVALID_TOKEN');
  });

  test('grants no permission that its inviter lacks, and no role that does not exist', async () => {
    expectProblem(await invite(newEmail(), ['no-such-role']), 400, 'VALIDATION_FAILED');
    const email = newEmail();
    await invite(email, ['admin']);
    const admin = (await accept({ token: await mailedToken(latchkey, email), password: PASSWORD })).body.access_token;
    const refused = await latchkey.api('/v1/admin/invitations', {
      token: admin,
      body: { email: newEmail(), roles: ['owner'] },
    });
    expectProblem(refused, 403, 'AUTHORIZATION_DENIED');
  });

  test('a weak password is refused, and the invitation still works', async () => {
    const email = newEmail();
    await invite(email);
    const mailed = await mailedToken(latchkey, email);
    expectProblem(await accept({ token: mailed, password: 'short' }), 400, 'WEAK_PASSWORD');
    assert.equal((await accept({ token: mailed, password: PASSWORD })).status, 200);
  });

  test('the list is read in pages and never shows a token', async () => {
    const first = await latchkey.api('/v1/admin/invitations?limit=2', { token });
    assert.equal(first.body.items.length, 2);
    assert.ok(first.body.nextCursor);
    const second = await latchkey.api(`/v1/admin/invitations?limit=2&cursor=${first.body.nextCursor}`, { token });
    assert.ok(
      second.body.items.every(({ id }: { id: string }) =>
        first.body.items.every((seen: { id: string }) => seen.id !== id),
      ),
    );
    assert.ok(!/lki_/.test(first.text + second.text));
  });
});

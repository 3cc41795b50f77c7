import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  managementToken,
  newEmail,
  ownerToken,
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

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const from = (ip: string) => ({ 'x-forwarded-for': ip });

/** How many answers of each status there were. */
function statuses(answers: { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('work that holds a connection asks for no second one', () => {
  test('forty messages sent again at once are all answered, and a bystander is', async () => {
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

  test('forty invitations with a role at once are all made', async () => {
    const token = await ownerToken(latchkey);
    const answers = await Promise.all(
      range(40).map(() =>
        latchkey.api('/v1/admin/invitations', { token, body: { email: newEmail(), roles: ['viewer'] } }),
      ),
    );
    assert.deepEqual(statuses(answers), { 201: 40 });
  });

  test('forty members with a role at once are all made', async () => {
    const token = await managementToken(latchkey);
    const answers = await Promise.all(
      range(40).map(() => latchkey.api('/v1/admin/members', { token, body: { email: newEmail() } })),
    );
    assert.deepEqual(statuses(answers), { 201: 40 });
  });
});

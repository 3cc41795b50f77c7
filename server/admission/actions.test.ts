import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Problem } from '#platform/problem.ts';
import { actionsOf, refuses } from '#tests/actions.ts';
import { register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { inTurn } from '#tests/in-turn.ts';
import { type Receiver, startReceiver } from '#tests/receiver.ts';
import { admit, refusal } from './admission.ts';
import { ENTRANCES, type Entrance } from './entrances.ts';

let latchkey: TestLatchkey;
let receiver: Receiver;
before(async () => {
  [latchkey, receiver] = await Promise.all([startTestLatchkey(), startReceiver()]);
});
after(() => Promise.all([latchkey.stop(), receiver.stop()]));

const isEntrance = (name: string): name is Entrance => name in ENTRANCES;

test('every entrance asks the actions of the project, except those that only renew what was admitted', async () => {
  const { session } = await register(latchkey);
  await (await actionsOf(latchkey, receiver)).add('sign_in', refuses);
  const proof = { amr: ['pwd'], acr: 'aal1', authTime: latchkey.system.clock.now(), signInMethods: ['password'] };
  const enter = (entrance: Entrance, isInside?: () => Promise<boolean>) =>
    latchkey.inProject(async (tx) => {
      const device = async () => null;
      const candidate = { userId: session.userId, proof, device, ...(isInside && { isInside }) };
      const { decision } = await admit(tx, entrance, candidate);
      return decision.kind === 'refused' ? refusal(decision) : decision.kind;
    });
  const found = await inTurn(Object.keys(ENTRANCES).filter(isEntrance), async (entrance) => {
    const told = await enter(entrance);
    const refused = told instanceof Problem && told.code === 'REFUSED_BY_ACTION' && told.message === 'Not from here.';
    assert.ok(refused || told === 'admitted', entrance);
    return refused ? [] : [entrance];
  });
  assert.deepEqual(found.flat(), ['refresh', 'oidc_token', 'reauthenticate']);
  assert.equal(await enter('authorize', async () => true), 'admitted', 'a session that is inside is not asked about');
});

import { after, before, describe, test } from 'node:test';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import type { RelyingParty } from './relying-party.ts';
import {
  expectAudience,
  expectBackChannelLogout,
  expectRefresh,
  expectRotationSurvived,
  expectSignIn,
  expectSignOut,
} from './walks.ts';

/** The walks that a client library's program can take: the name of the test, and the check. */
export const WALKS = {
  signIn: ['signs in and reads user info', expectSignIn],
  refresh: ['refreshes', expectRefresh],
  signOut: ['signs out at Latchkey', expectSignOut],
  backChannelLogout: ['is notified that a session ended', expectBackChannelLogout],
  audience: ['refuses access tokens for another audience, and ID tokens', expectAudience],
  rotation: ['continues after a rotation of the keys', expectRotationSurvived],
} as const;

type Walk = readonly [sentence: string, expectWalk: (party: RelyingParty) => Promise<void>];

/**
 * Declares the tests of a program that uses a library.
 * @param missing what is not installed, so that the tests are skipped
 */
export function testProgram(
  library: string,
  start: (latchkey: TestLatchkey) => Promise<RelyingParty>,
  { walks = Object.values(WALKS), missing = null }: { walks?: readonly Walk[]; missing?: string | null } = {},
): void {
  let latchkey: TestLatchkey;
  let party: RelyingParty;
  before(async () => {
    if (missing !== null) return;
    latchkey = await startTestLatchkey({ own: 'rotates the keys of the installation' });
    party = await start(latchkey);
  });
  after(async () => {
    if (missing !== null) return;
    party.stop();
    await latchkey.stop();
  });
  describe(library, () => {
    for (const [sentence, expectWalk] of walks) test(sentence, { skip: missing ?? false }, () => expectWalk(party));
  });
}

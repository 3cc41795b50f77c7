import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { RelyingParty } from '#tests/clients/relying-party.ts';
import { startForeignParty } from '#tests/clients/relying-party.ts';
import {
  expectAudience,
  expectBackChannelLogout,
  expectRefresh,
  expectRotationSurvived,
  expectSignIn,
  expectSignOut,
} from '#tests/clients/walks.ts';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { CACHE, missingFor } from './fetched.ts';

const folder = join(import.meta.dirname, 'go-oidc');
const program = join(CACHE, 'go-oidc');
const missing = await missingFor([
  { missing: 'Go is not installed', command: ['go', 'version'] },
  { missing: 'Go cannot fetch go-oidc', command: ['go', 'mod', 'download'], cwd: folder },
]);
const options = { skip: missing ?? false };

let latchkey: TestLatchkey;
let party: RelyingParty;
before(async () => {
  if (missing !== null) return;
  latchkey = await startTestLatchkey({ own: 'rotates the keys of the installation' });
  await promisify(execFile)('go', ['build', '-o', program], { cwd: folder });
  party = await startForeignParty(latchkey, [program]);
});
after(async () => {
  if (missing !== null) return;
  party.stop();
  await latchkey.stop();
});

describe('go-oidc', () => {
  test('signs in and reads user info', options, () => expectSignIn(party));
  test('refreshes', options, () => expectRefresh(party));
  test('signs out at Latchkey', options, () => expectSignOut(party));
  test('is notified that a session ended', options, () => expectBackChannelLogout(party));
  test('refuses access tokens for another audience, and ID tokens', options, () => expectAudience(party));
  test('continues after a rotation of the keys', options, () => expectRotationSurvived(party));
});

import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
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

const folder = join(import.meta.dirname, 'authlib');
const environment = join(CACHE, 'python');
const python = join(environment, 'bin/python');
const requirements = join(folder, 'requirements.txt');
const missing = await missingFor([
  { missing: 'Python 3 with venv is not installed', command: ['python3', '-m', 'venv', environment] },
  {
    missing: 'pip cannot fetch Authlib',
    command: [python, '-m', 'pip', 'install', '--quiet', '--requirement', requirements],
  },
]);
const options = { skip: missing ?? false };

let latchkey: TestLatchkey;
let party: RelyingParty;
before(async () => {
  if (missing !== null) return;
  latchkey = await startTestLatchkey({ own: 'rotates the keys of the installation' });
  party = await startForeignParty(latchkey, [python, join(folder, 'program.py')]);
});
after(async () => {
  if (missing !== null) return;
  party.stop();
  await latchkey.stop();
});

describe('Authlib', () => {
  test('signs in and reads user info', options, () => expectSignIn(party));
  test('refreshes', options, () => expectRefresh(party));
  test('signs out at Latchkey', options, () => expectSignOut(party));
  test('is notified that a session ended', options, () => expectBackChannelLogout(party));
  test('refuses access tokens for another audience, and ID tokens', options, () => expectAudience(party));
  test('continues after a rotation of the keys', options, () => expectRotationSurvived(party));
});

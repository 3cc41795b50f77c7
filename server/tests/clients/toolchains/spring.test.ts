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

const folder = join(import.meta.dirname, 'spring');
const maven = ['mvn', '-q', '-B', `-Dmaven.repo.local=${join(CACHE, 'maven')}`, `-Dtarget=${join(CACHE, 'spring')}`];
const missing = await missingFor([
  { missing: 'a JDK 17 or newer is not installed', command: ['javac', '--release', '17', '--version'] },
  { missing: 'Maven is not installed', command: ['mvn', '--version'] },
  { missing: 'Maven cannot fetch Spring Boot', command: [...maven, 'dependency:resolve'], cwd: folder },
]);
const options = { skip: missing ?? false };

let latchkey: TestLatchkey;
let party: RelyingParty;
before(async () => {
  if (missing !== null) return;
  latchkey = await startTestLatchkey({ own: 'rotates the keys of the installation' });
  const [program = '', ...args] = [...maven, 'package'];
  await promisify(execFile)(program, args, { cwd: folder });
  party = await startForeignParty(latchkey, ['java', '-jar', join(CACHE, 'spring/relying-party-1.jar')], {
    callback: '/login/oauth2/code/latchkey',
    backchannelLogout: '/logout/connect/back-channel/latchkey',
  });
});
after(async () => {
  if (missing !== null) return;
  party.stop();
  await latchkey.stop();
});

describe('Spring Boot', () => {
  test('signs in and reads user info', options, () => expectSignIn(party));
  test('refreshes', options, () => expectRefresh(party));
  test('signs out at Latchkey', options, () => expectSignOut(party));
  test('is notified that a session ended', options, () => expectBackChannelLogout(party));
  test('refuses access tokens for another audience, and ID tokens', options, () => expectAudience(party));
  test('continues after a rotation of the keys', options, () => expectRotationSurvived(party));
});

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testProgram } from '#tests/clients/program.ts';
import { type RelyingParty, startForeignParty } from '#tests/clients/relying-party.ts';
import type { TestLatchkey } from '#tests/harness.ts';
import { CACHE, missingFor } from './fetched.ts';

const folder = join(import.meta.dirname, 'spring');
const maven = ['mvn', '-q', '-B', `-Dmaven.repo.local=${join(CACHE, 'maven')}`, `-Dtarget=${join(CACHE, 'spring')}`];
const missing = await missingFor([
  { missing: 'a JDK 17 or newer is not installed', command: ['javac', '--release', '17', '--version'] },
  { missing: 'Maven is not installed', command: ['mvn', '--version'] },
  { missing: 'Maven cannot fetch Spring Boot', command: [...maven, 'dependency:go-offline'], cwd: folder },
]);

async function start(latchkey: TestLatchkey): Promise<RelyingParty> {
  const [program = '', ...args] = [...maven, 'package'];
  await promisify(execFile)(program, args, { cwd: folder });
  return startForeignParty(latchkey, ['java', '-jar', join(CACHE, 'spring/relying-party-1.jar')], {
    callback: '/login/oauth2/code/latchkey',
    backchannelLogout: '/logout/connect/back-channel/latchkey',
  });
}

testProgram('Spring Boot', start, { missing });

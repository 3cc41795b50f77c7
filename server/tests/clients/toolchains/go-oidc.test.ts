import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testProgram } from '#tests/clients/program.ts';
import { type RelyingParty, startForeignParty } from '#tests/clients/relying-party.ts';
import type { TestLatchkey } from '#tests/harness.ts';
import { CACHE, missingFor } from './fetched.ts';

const folder = join(import.meta.dirname, 'go-oidc');
const program = join(CACHE, 'go-oidc');
const missing = await missingFor([
  { missing: 'Go is not installed', command: ['go', 'version'] },
  { missing: 'Go cannot fetch go-oidc', command: ['go', 'mod', 'download'], cwd: folder },
]);

async function start(latchkey: TestLatchkey): Promise<RelyingParty> {
  await promisify(execFile)('go', ['build', '-o', program], { cwd: folder });
  return startForeignParty(latchkey, [program]);
}

testProgram('go-oidc', start, { missing });

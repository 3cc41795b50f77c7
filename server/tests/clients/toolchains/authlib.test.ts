import { join } from 'node:path';
import { testProgram } from '#tests/clients/program.ts';
import { startForeignParty } from '#tests/clients/relying-party.ts';
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

testProgram('Authlib', (latchkey) => startForeignParty(latchkey, [python, join(folder, 'program.py')]), { missing });

import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { CACHE, missingFor } from './fetched.ts';
import { expectTestsPass } from './sdk.ts';

const folder = resolve(import.meta.dirname, '../../../../sdk/python');
const environment = join(CACHE, 'python-sdk');
const python = join(environment, 'bin/python');
const missing = await missingFor([
  {
    missing: 'Python 3.11 is not installed',
    command: ['python3', '-c', 'import sys; assert sys.version_info >= (3, 11)'],
  },
  { missing: 'Python has no venv', command: ['python3', '-m', 'venv', environment] },
  { missing: 'pip cannot install the package', command: [python, '-m', 'pip', 'install', '--quiet', folder] },
]);

test('the Python package reads and changes members, verifies tokens and webhooks', { skip: missing ?? false }, () =>
  expectTestsPass([python, '-m', 'unittest', 'discover', 'tests'], { cwd: folder }),
);

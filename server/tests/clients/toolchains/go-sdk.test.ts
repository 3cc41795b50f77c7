import { resolve } from 'node:path';
import { test } from 'node:test';
import { missingFor } from './fetched.ts';
import { expectTestsPass } from './sdk.ts';

const folder = resolve(import.meta.dirname, '../../../../sdk/go');
const missing = await missingFor([
  { missing: 'Go is not installed', command: ['go', 'version'] },
  { missing: 'Go cannot fetch go-oidc', command: ['go', 'mod', 'download'], cwd: folder },
]);

test('the Go module reads and changes members, verifies tokens and webhooks', { skip: missing ?? false }, () =>
  expectTestsPass(['go', 'test', '-count=1', '-v', './...'], { cwd: folder }),
);

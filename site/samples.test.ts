import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { missingFor } from '../server/tests/clients/toolchains/fetched.ts';
import { requestOf } from './examples.ts';
import { operationsOf } from './openapi.ts';
import { type Sample, samplesOf } from './samples.ts';

/** The samples of the reference in the documentation: each is what its language accepts, and sends the request of its operation. */

const ROOT = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'latchkey-samples-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const operations = [...operationsOf('api'), ...operationsOf('auth'), ...operationsOf('status')];

function codeIn(language: Sample['language']): string[] {
  return operations.map((documented) => samplesOf(documented).find((one) => one.language === language)?.code ?? '');
}

/** Runs a program in a folder of the samples. @returns what it printed, also if it failed */
async function run(program: string, args: string[], cwd: string) {
  const { stdout, stderr } = await promisify(execFile)(program, args, { cwd, maxBuffer: 100_000_000 }).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  return { stdout, stderr };
}

/** A module in place of `requests` that notes what would be sent. */
const PYTHON = `
import json, os, sys, types
os.environ.update(API_URL="api:", AUTH_URL="auth:", STATUS_URL="status:", TOKEN="token")
sent = []
class Response:
    def raise_for_status(self): pass
def sender(method):
    def send(url, headers={}, json=None, data=None):
        sent.append([method, url, json if data is None else data, headers.get("Authorization")])
        return Response()
    return send
sys.modules["requests"] = types.SimpleNamespace(**{m: sender(m) for m in ("get", "post", "put", "patch", "delete")})
for code in json.load(sys.stdin):
    exec(compile(code, "sample", "exec"), {})
print(json.dumps(sent))
`;

describe('the samples of the reference', () => {
  const python = missingFor([{ missing: 'Python is not installed', command: ['python3', '--version'] }]);
  const go = missingFor([{ missing: 'Go is not installed', command: ['go', 'version'] }]);

  test('in TypeScript fit the types of @latchkey/api', async () => {
    const cwd = join(folder, 'ts');
    mkdirSync(cwd);
    for (const [index, code] of codeIn('ts').entries())
      writeFileSync(
        join(cwd, `sample${index}.ts`),
        `${code}\ndeclare const baseUrl: string, token: string;\nvoid data;\n`,
      );
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'es2024',
      module: 'esnext',
      moduleResolution: 'bundler',
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types: [],
      lib: ['es2024', 'dom', 'dom.iterable'],
      paths: { '@latchkey/api': [join(ROOT, 'sdk/api/src/index.ts')] },
    };
    writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    assert.equal((await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', cwd], cwd)).stdout, '');
  });

  test('in Python send the request of their operation', async (t) => {
    const missing = await python;
    if (missing) return t.skip(missing);
    const program = join(folder, 'samples.py');
    writeFileSync(program, PYTHON);
    const running = promisify(execFile)('python3', [program], { maxBuffer: 100_000_000 });
    running.child.stdin?.end(JSON.stringify(codeIn('python')));
    const sent = JSON.parse((await running).stdout);
    const expected = operations.map((documented) => {
      const { body = null, secured } = requestOf(documented);
      return [documented.method, body, secured ? 'Bearer token' : null];
    });
    assert.deepEqual(
      sent.map(([method, , body, authorization]: unknown[]) => [method, body, authorization]),
      expected,
    );
    const targets = sent.map(([, url]: string[]) => new URL(url ?? '').pathname.split('/').length);
    assert.deepEqual(
      targets,
      operations.map(({ path }) => path.split('/').length),
    );
  });

  test('in Go compile', async (t) => {
    const missing = await go;
    if (missing) return t.skip(missing);
    const cwd = join(folder, 'go');
    for (const [index, code] of codeIn('go').entries()) {
      const sample = join(cwd, `sample${index}`);
      mkdirSync(sample, { recursive: true });
      writeFileSync(join(sample, 'main.go'), `${code}\n`);
    }
    writeFileSync(join(cwd, 'go.mod'), 'module samples\n\ngo 1.22\n');
    assert.equal((await run('go', ['vet', './...'], cwd)).stderr, '');
    assert.equal((await run('gofmt', ['-l', '.'], cwd)).stdout, '', 'and are formatted');
  });
});

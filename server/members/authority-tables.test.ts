import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { Registry } from 'prom-client';
import { createHost } from '#platform/http.ts';
import { mount } from '#platform/http-mount.ts';
import { expectProblem, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { type Operator, signInOperator } from '#tests/operators.ts';
import { AUTHORITY, RULES } from './authority.ts';

const PAGE = new URL('../../docs/security-model.md', import.meta.url);

const clock = new TestClock();
let latchkey: TestLatchkey;
let owner: Operator;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
  owner = await signInOperator(latchkey);
});
after(() => latchkey.stop());

/** Compares a table of the page with the code; UPDATE_TABLES=1 writes it. */
async function expectTable(name: string, head: readonly string[], rows: readonly (readonly string[])[]): Promise<void> {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const table = [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
  const marked = new RegExp(`(<!-- table: ${name} -->\n)([^]*?)(\n<!-- /table -->)`);
  const page = await readFile(PAGE, 'utf8');
  const written = page.replace(marked, (_all, begin: string, _table: string, end: string) => begin + table + end);
  if (process.env['UPDATE_TABLES']) await writeFile(PAGE, written);
  assert.equal(marked.exec(written)?.[2], marked.exec(page)?.[2], 'UPDATE_TABLES=1 writes the table anew');
  assert.ok(marked.test(page), `the page has the table ${name}`);
}

type Described = { paths: Record<string, Record<string, { 'x-step-up'?: boolean }>> };

describe('the security model matches the code', () => {
  test('what acting on each kind of record requires', async () => {
    await expectTable(
      'authority',
      ['act', 'permission', 'rules for the actor'],
      Object.entries(AUTHORITY).map(([act, { permission, rules }]) => [
        `\`${act}\``,
        `\`${permission}\``,
        rules.join(', ') || '-',
      ]),
    );
    await expectTable('authority-rules', ['rule', 'the actor'], Object.entries(RULES));
  });

  test('what requires step-up in the console', async () => {
    const description: Described = (await latchkey.console('/console/v1/openapi.json')).body;
    const marked = Object.entries(description.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, operation]) =>
        operation['x-step-up'] ? [[method.toUpperCase(), `\`${path.replace('/console/v1', '')}\``]] : [],
      ),
    );
    await expectTable(
      'step-up',
      ['method', 'below `/console/v1`'],
      marked.sort((a, b) => a.join().localeCompare(b.join())),
    );
  });
});

describe('a change of permissions in the console requires a proof of the last ten minutes', () => {
  test('an administrative change that does not declare stepUp is refused at the start', async (t) => {
    const system = { ...latchkey.system, metrics: new Registry() };
    const app = await createHost(system, { kind: 'console', environment: null });
    t.after(() => app.close());
    const planted = { method: 'POST', path: '/console/v1/planted', permission: 'members:write' } as const;
    assert.throws(() => mount(app, [{ ...planted, handler: () => ({}) }]), /declares no stepUp/);
  });

  test('no request bypasses it with a session that is twenty minutes old', async () => {
    clock.advance(20 * 60_000);
    const id = '01kaz3w9hqf8p9n2m4v5x6y7z8';
    const calls: [string, string, unknown?][] = [
      ['PATCH', `applications/app_${id}`, { permissions: [] }],
      ['PATCH', `applications/app_${id}`, { enabled: true }],
      ['POST', 'members', { email: 'new@example.com', roles: ['owner'] }],
      ['POST', 'invitations', { email: 'new@example.com', roles: ['owner'] }],
      ['PUT', `roles/rol_${id}/permissions`, { permissions: [] }],
      ['POST', 'identity-providers', { key: 'evil', preset: 'google', clientId: 'x' }],
      ['PATCH', `identity-providers/idp_${id}`, { options: {} }],
      ['PATCH', 'settings', { mfa: 'off' }],
      ['PUT', 'settings/messages/magic_link/en', { subject: 'x', text: '{link}' }],
      ['POST', 'webhooks/endpoints', { url: 'https://evil.example' }],
      ['PATCH', `webhooks/endpoints/whe_${id}`, { url: 'https://evil.example' }],
      ['HEAD', 'members/export'],
    ];
    for (const [method, path, body] of calls) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const response = await owner.call(`/console/v1/${path}`, { method, ...(body !== undefined && { body }) });
      if (method === 'HEAD') assert.equal(response.status, 401);
      else expectProblem(response, 401, 'REAUTHENTICATION_REQUIRED');
    }
  });
});

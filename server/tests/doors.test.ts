import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  doorsOf,
  keepsFileScheme,
  needlessExceptions,
  notOnlyExports,
  tooGenerous,
  tooWide,
} from './boundaries/doors.ts';
import { PARTS } from './boundaries/parts.ts';
import { readSources, SERVER } from './boundaries/sources.ts';

const sources = await readSources();
const doors = doorsOf(sources);

describe('front doors', () => {
  test('each hands out at most twelve names, or as many as the table of exceptions says', () => {
    assert.deepEqual(tooWide(doors), []);
    assert.deepEqual(needlessExceptions(doors), []);
    assert.deepEqual(tooGenerous(), []);
  });

  test('a planted exception for more than 25 names is found', () => {
    assert.deepEqual(tooGenerous({ members: { max: 25, why: 'says why' } }), []);
    assert.deepEqual(tooGenerous({ members: { max: 26, why: 'says why' } }), ['members']);
  });

  test('each contains only exports from the files of its part', () => {
    assert.deepEqual(notOnlyExports(sources), []);
    const path = 'members/index.ts';
    const door = `/** Why. */\nexport { addMember, type Member } from './members.ts';\n`;
    assert.deepEqual(notOnlyExports([{ path, text: door }]), []);
    assert.deepEqual(notOnlyExports([{ path, text: `import { a } from './a.ts';\n${door}` }]), [path]);
    assert.deepEqual(notOnlyExports([{ path, text: `${door}export const part = {};\n` }]), [path]);
  });

  test('a planted surplus name is found', () => {
    const names = Array.from({ length: 26 }, (_, index) => `name${index}`);
    const planted = (text: string) => doorsOf([{ path: 'members/index.ts', text }]);
    const wide = planted(`export {\n  ${names.join(',\n  ')},\n} from './members.ts';\n`);
    assert.equal(wide.get('members')?.length, 26);
    assert.equal(tooWide(wide, { members: { max: 25, why: 'one less than there are' } }).length, 1);
    const thirteen = planted(
      `export { ${names.slice(0, 12).join(', ')} } from './a.ts';\nexport type { Member } from './b.ts';\n`,
    );
    assert.equal(tooWide(thirteen, {}).length, 1);
    assert.deepEqual(tooWide(thirteen, { members: { max: 13, why: 'says why' } }), []);
    assert.equal(
      tooWide(planted(`export { a } from './a.ts';\nexport const ${names.join(' = 1;\nexport const ')} = 1;`), {})
        .length,
      1,
    );
    assert.equal(
      needlessExceptions(planted(`export { a } from './a.ts';`), { members: { max: 13, why: 'it was wider' } }).length,
      1,
    );
  });
});

test('CONTRIBUTING names every part, in order of dependency', async () => {
  const guide = await readFile(join(SERVER, '../CONTRIBUTING.md'), 'utf8');
  const table = guide.slice(guide.indexOf('| part |'), guide.indexOf('Inside a part:'));
  const named = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, part]) => part);
  assert.deepEqual(named, PARTS);
});

describe('the names of files', () => {
  test('routes stand in <noun>.<surface>.ts, handlers of jobs in <noun>.task.ts', () => {
    assert.deepEqual(sources.flatMap(keepsFileScheme), []);
  });

  test('a planted fault is found', () => {
    const routes = 'export const memberRoutes: Routes = [];\n';
    const task = `import type { Task } from 'graphile-worker';\nexport const send: Task = async () => {};\n`;
    for (const [path, text] of [
      ['members/members.ts', routes],
      ['members/members.admin.ts', 'export const Member = 1;\n'],
      ['members/members.ts', task],
      ['members/members.task.ts', 'export const Member = 1;\n'],
    ] as const)
      assert.equal(keepsFileScheme({ path, text }).length, 1, `${path}: ${text}`);
    for (const [path, text] of [
      ['members/members.admin.ts', routes],
      ['members/members.task.ts', task],
      ['members/members.ts', 'export const Member = 1;\n'],
      ['members/members.admin.test.ts', ''],
    ] as const)
      assert.deepEqual(keepsFileScheme({ path, text }), []);
  });
});

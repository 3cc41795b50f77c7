import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { readFolder } from './folder.ts';

let base: string;
let folder: string;
before(async () => {
  base = await mkdtemp(join(tmpdir(), 'latchkey-folder-'));
});
after(() => rm(base, { recursive: true, force: true }));
beforeEach(async () => {
  folder = await mkdtemp(join(base, 'files-'));
});

const environment = { HOST: 'shop.example', EMPTY: '', SECRET: 'hush' };
const write = (name: string, text: string) => writeFile(join(folder, name), text);
const reading = () => readFolder({ folder, environment });
const reference = (source: string) => `\${${source}}`;

async function expectFaults(name: string, text: string, ...expected: RegExp[]): Promise<void> {
  await write(name, text);
  await assert.rejects(reading, (error: Error) => {
    for (const one of expected) assert.match(error.message, one);
    assert.doesNotMatch(error.message, /hush/);
    return true;
  });
}

describe('faults of files name the file and the line', () => {
  test('aliases that would grow without end', () =>
    expectFaults('roles.yaml', `- key: &a lol\n  name: *a\n`, /^roles\.yaml:1 anchors and aliases are not allowed$/));
  test('a repeated field', () =>
    expectFaults('roles.yaml', '- key: a\n  name: A\n  name: B\n', /^roles\.yaml:3 .*unique/));
  test('an unknown field', () =>
    expectFaults('roles.yaml', '- key: aa\n  nmae: A\n', /^roles\.yaml:2 nmae is no field of this kind$/));
  test('a wrong type', () =>
    expectFaults(
      'settings.yaml',
      'mfa: off\npasswordMinLength: "17"\n',
      /^settings\.yaml:2 passwordMinLength must be/,
    ));
  test('a text where only some are allowed', () =>
    expectFaults('settings.yaml', 'mfa: maybe\n', /^settings\.yaml:1 mfa must be one of off,optional,required$/));
  test('a number that JSON does not have', () =>
    expectFaults('settings.yaml', 'passwordMinLength: .inf\n', /^settings\.yaml:1 is no number of JSON$/));
  test('a tag', () => expectFaults('settings.yaml', 'mfa: !!binary aGk=\n', /^settings\.yaml:1 /));
  test('a field named __proto__', () =>
    expectFaults('settings.yaml', '__proto__: { mfa: off }\n', /^settings\.yaml:1 __proto__ is no field/));
  test('two documents', () => expectFaults('settings.yaml', 'mfa: off\n---\nmfa: off\n', /^settings\.yaml:\d /));
  test('no YAML', () => expectFaults('settings.yaml', 'mfa: [off\n', /^settings\.yaml:\d /));
  test('a text in place of a list', () => expectFaults('roles.yaml', 'hello\n', /^roles\.yaml:1 must be a list/));
  test('an empty file, which could be one that was cut off', () =>
    expectFaults('roles.yaml', '# Roles\n', /^roles\.yaml:1 is empty: write \[\] for no records$/));
  test('a text in place of a record', () => expectFaults('roles.yaml', '- hello\n', /^roles\.yaml:1 must be a record/));
  test('the same key twice', () =>
    expectFaults('roles.yaml', '- key: aa\n- key: aa\n', /^roles\.yaml:2 has the key of roles\.yaml:1: "aa"$/));
  test('a kind that does not exist', () => expectFaults('role.yaml', '[]', /^role\.yaml:1 is no kind; expected perm/));
  test('a file without the fields of its key', () =>
    expectFaults('message-texts.yaml', '- locale: de\n', /^message-texts\.yaml:1 .*template/));
  test('deep nesting', () =>
    expectFaults('settings.yaml', `mfa: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`, /^settings\.yaml:1 /));
  test('a very large file', () =>
    expectFaults('settings.yaml', `# ${'x'.repeat(5_000_000)}\n`, /^settings\.yaml:1 is larger than/));
  test('a folder that does not exist', () =>
    assert.rejects(readFolder({ folder: join(folder, 'away'), environment }), /away cannot be read \(ENOENT\)$/));
});

describe('references', () => {
  test('to a variable or file that does not exist are faults', async () => {
    const name = reference('env:EMPTY');
    const description = reference('file:away.txt');
    await expectFaults(
      'roles.yaml',
      `- key: aa\n  name: ${name}\n  description: ${description}\n`,
      /^roles\.yaml:2 name: the environment variable EMPTY is not set$/m,
      /^roles\.yaml:3 description: the file away\.txt cannot be read \(ENOENT\)$/m,
    );
  });

  test('are the only form of a secret, which is not shown', () =>
    expectFaults(
      'identity-providers.yaml',
      '- key: acme\n  clientSecret: hush\n',
      /^identity-providers\.yaml:2 clientSecret must be a reference/,
    ));

  test('stand inside texts, and are escaped by a second sign', async () => {
    await mkdir(join(folder, 'roles'));
    await write('name.txt', 'Zoë\r\n');
    const host = reference('env:HOST');
    await write(
      'roles/one.yaml',
      `key: aa\nname: ${reference('file:name.txt')}\ndescription: a ${host} $${host} $$${host}\n`,
    );
    await write('roles/two.yaml', '- key: bb\n');
    const [roles] = await reading();
    assert.deepEqual(
      roles?.records.map(({ fields }) => fields),
      [{ key: 'aa', name: 'Zoë', description: `a shop.example ${host} $${host}` }, { key: 'bb' }],
    );
  });

  test('of secrets keep their form until they are written', async () => {
    const clientSecret = reference('env:NOT_SET');
    await write('identity-providers.yaml', `- key: acme\n  clientSecret: ${clientSecret}\n`);
    const [providers] = await reading();
    assert.equal(providers?.records[0]?.fields['clientSecret'], clientSecret);
  });
});

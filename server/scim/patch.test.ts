import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { patched, readOperations } from './patch.ts';
import type { Attributes } from './resource.ts';
import { ENTERPRISE, resourceTypes } from './schemas.ts';
import { ScimError } from './scim-error.ts';

const ADA: Attributes = {
  userName: 'ada',
  active: true,
  name: { givenName: 'Ada', familyName: 'Byron' },
  emails: [
    { value: 'ada@example.com', type: 'work', primary: true },
    { value: 'ada@home.example', type: 'home' },
  ],
};

function after(...operations: readonly unknown[]): Attributes {
  return patched(resourceTypes.User, ADA, readOperations({ Operations: operations }));
}

function refused(scimType: string, ...operations: readonly unknown[]): void {
  assert.throws(
    () => after(...operations),
    (error) => error instanceof ScimError && error.scimType === scimType,
  );
}

describe('the operations of RFC 7644', () => {
  test('add, replace and remove an attribute and a part of one', () => {
    assert.equal(after({ op: 'add', path: 'title', value: 'Countess' })['title'], 'Countess');
    assert.deepEqual(after({ op: 'replace', path: 'name.familyName', value: 'King' })['name'], {
      givenName: 'Ada',
      familyName: 'King',
    });
    assert.deepEqual(after({ op: 'remove', path: 'name' })['name'], undefined);
    assert.deepEqual(after({ op: 'add', path: 'name', value: { middleName: 'A.' } })['name'], {
      givenName: 'Ada',
      familyName: 'Byron',
      middleName: 'A.',
    });
  });

  test('a value filter selects the values that change', () => {
    const { emails } = after({ op: 'replace', path: 'emails[type eq "WORK"].value', value: 'new@example.com' });
    assert.deepEqual(emails, [
      { value: 'new@example.com', type: 'work', primary: true },
      { value: 'ada@home.example', type: 'home' },
    ]);
    assert.deepEqual(after({ op: 'remove', path: 'emails[value ew "@home.example"]' })['emails'], [
      { value: 'ada@example.com', type: 'work', primary: true },
    ]);
    assert.deepEqual(after({ op: 'remove', path: 'emails[type eq "work" or not (type pr)].primary' })['emails'], [
      { value: 'ada@example.com', type: 'work' },
      { value: 'ada@home.example', type: 'home' },
    ]);
  });

  test('strings in a value filter are JSON strings', () => {
    const { emails } = after(
      { op: 'add', path: 'emails', value: { value: 'ada@lab.example', type: 'C:\\"lab"]\\' } },
      { op: 'remove', path: 'emails[type eq "C:\\\\\\"lab\\"]\\\\" or type eq "\\u0068ome"]' },
    );
    assert.deepEqual(emails, [{ value: 'ada@example.com', type: 'work', primary: true }]);
    refused('invalidFilter', { op: 'remove', path: 'emails[type eq "\\work"]' });
  });

  test('a new primary value replaces the former one, and an added value stands once', () => {
    const added = { value: 'third@example.com', type: 'other', primary: true };
    assert.deepEqual(after({ op: 'add', path: 'emails', value: [added, added] })['emails'], [
      { value: 'ada@example.com', type: 'work', primary: false },
      { value: 'ada@home.example', type: 'home' },
      added,
    ]);
  });

  test('the extension is reached by its URN, as a whole and by attribute', () => {
    const department = { op: 'add', path: `${ENTERPRISE}:department`, value: 'Engines' };
    assert.deepEqual(after(department)[ENTERPRISE], { department: 'Engines' });
    assert.equal(after(department, { op: 'remove', path: ENTERPRISE })[ENTERPRISE], undefined);
  });

  test('a fault is refused with its keyword, and changes nothing', () => {
    refused('invalidPath', { op: 'replace', path: 'nickname2', value: 'x' });
    refused('invalidPath', { op: 'replace', path: 'name.givenName.x', value: 'x' });
    refused('mutability', { op: 'replace', path: 'id', value: 'x' });
    refused('mutability', { op: 'add', path: 'groups', value: [{ value: 'x' }] });
    refused('invalidValue', { op: 'replace', path: 'active', value: 'maybe' });
    refused('invalidValue', { op: 'remove', path: 'userName' });
    refused('noTarget', { op: 'remove' });
    refused('invalidFilter', { op: 'remove', path: 'emails[type eq]' });
    refused('invalidSyntax', { op: 'move', path: 'title' });
    assert.equal(ADA['userName'], 'ada');
  });

  test('names like __proto__ reach nothing', () => {
    refused('invalidPath', { op: 'add', path: '__proto__.polluted', value: true });
    after({ op: 'add', value: JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": 1}}') });
    assert.equal(Object('').polluted, undefined);
  });
});

describe('the dialect of Entra ID', () => {
  test('verbs have a capital letter, and booleans are text', () => {
    assert.equal(after({ op: 'Replace', path: 'active', value: 'False' })['active'], false);
  });

  test('paths are the names of an object', () => {
    const changed = after({
      op: 'Add',
      value: {
        'name.givenName': 'A.',
        [`${ENTERPRISE}:costCenter`]: '12',
        'emails[type eq "work"].value': 'a@example.com',
      },
    });
    assert.deepEqual(changed['name'], { givenName: 'A.', familyName: 'Byron' });
    assert.deepEqual(changed[ENTERPRISE], { costCenter: '12' });
    assert.deepEqual(changed['emails'], [
      { value: 'a@example.com', type: 'work', primary: true },
      { value: 'ada@home.example', type: 'home' },
    ]);
  });

  test('a filter that matches no value adds one', () => {
    const { phoneNumbers } = after({ op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+43 1 23' });
    assert.deepEqual(phoneNumbers, [{ type: 'mobile', value: '+43 1 23' }]);
  });

  test('a manager is an id', () => {
    const changed = after({ op: 'Add', path: `${ENTERPRISE}:manager`, value: 'scu_1' });
    assert.deepEqual(changed[ENTERPRISE], { manager: { value: 'scu_1' } });
  });

  test('the members to remove stand in the body', () => {
    const group = { displayName: 'Engines', members: [{ value: 'scu_1' }, { value: 'scu_2' }] };
    const operations = readOperations({ Operations: [{ op: 'Remove', path: 'members', value: [{ value: 'scu_1' }] }] });
    assert.deepEqual(patched(resourceTypes.Group, group, operations)['members'], [{ value: 'scu_2' }]);
  });
});

describe('the dialect of Okta', () => {
  test('a person is deactivated by an object without a path', () => {
    assert.equal(after({ op: 'replace', value: { active: false } })['active'], false);
  });

  test('a member is removed by a filter, and the name of a group comes with its id', () => {
    const group = { displayName: 'Engines', members: [{ value: 'scu_1' }, { value: 'scu_2' }] };
    const operations = readOperations({
      Operations: [
        { op: 'remove', path: 'members[value eq "scu_1"]' },
        { op: 'replace', value: { id: 'scg_1', displayName: 'Machines' } },
      ],
    });
    assert.deepEqual(patched(resourceTypes.Group, group, operations), {
      displayName: 'Machines',
      members: [{ value: 'scu_2' }],
    });
  });
});

import { expect, test } from 'vitest';
import { reasonsOf } from './reasons.ts';

test('each path that grants a permission is one sentence', () => {
  const role = { id: 'rol_1', key: 'staff', name: 'Staff' };
  const organization = { organizationId: 'org_1', name: 'Acme', role: 'reader' };
  expect(
    reasonsOf({
      allowed: true,
      because: [{ role: 'staff', path: { memberId: 'mem_1', role, permission: 'documents:read' } }],
      becauseInOrganizations: [
        { ...organization, resource: null, through: [] },
        { ...organization, resource: 'folder:1', through: ['document:7'] },
      ],
      becauseOfRelations: [
        { subject: 'user:usr_1', relation: 'owner', resource: 'folder:1', through: ['document:7', 'folder:2'] },
      ],
      denial: null,
    }),
  ).toEqual([
    'The role Staff of the project grants it.',
    'The role “reader” in the organization Acme grants it.',
    'The role “reader” in the organization Acme grants it. folder:1, the parent of document:7 belongs to the organization.',
    'user:usr_1 is “owner” of folder:1, the parent of folder:2, the parent of document:7.',
  ]);
});

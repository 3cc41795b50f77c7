import { Type } from 'typebox';
import { define, type EventData, text, userId } from '#platform/event.ts';

const memberId = 'mem_01kaz3w9hqf8p9n2m4v5x6y7z8';
const roleId = 'rol_01kaz3w9hqf8p9n2m4v5x6y7z8';
const Member = Type.Object({ memberId: text, userId: text });
const Role = Type.Object({ roleId: text, key: text });

export const events = {
  'membership.created': define('A person became a member of a project.', Member, { memberId, userId }),
  'membership.updated': define(
    'The metadata of a member changed.',
    Type.Object({ ...Member.properties, changed: Type.Array(text) }),
    { memberId, userId, changed: ['metadata'] },
  ),
  'membership.deleted': define('A person is no longer a member of a project.', Member, { memberId, userId }),
  'membership.blocked': define('A member was blocked.', Member, { memberId, userId }),
  'membership.unblocked': define('A member was unblocked.', Member, { memberId, userId }),
  'membership.roles.changed': define(
    'The roles of a member changed.',
    Type.Object({ ...Member.properties, roles: Type.Array(text) }),
    { memberId, userId, roles: ['viewer'] },
  ),
  'role.created': define('A role was added.', Role, { roleId, key: 'editor' }),
  'role.updated': define('A role or its permissions changed.', Role, { roleId, key: 'editor' }),
  'role.deleted': define('A role was removed.', Role, { roleId, key: 'editor' }),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

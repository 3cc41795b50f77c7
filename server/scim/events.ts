import { Type } from 'typebox';
import { define, type EventData, text, userId } from '#platform/event.ts';

const organizationId = 'org_01kaz3w9hqf8p9n2m4v5x6y7z8';
const Token = Type.Object({ organizationId: text, scimTokenId: text, name: text });
const token = { organizationId, scimTokenId: 'sct_01kaz3w9hqf8p9n2m4v5x6y7z8', name: 'Entra ID' };
const User = Type.Object({ organizationId: text, scimUserId: text, userId: text });
const user = { organizationId, scimUserId: 'scu_01kaz3w9hqf8p9n2m4v5x6y7z8', userId };
const Group = Type.Object({ organizationId: text, scimGroupId: text, name: text });
const group = { organizationId, scimGroupId: 'scg_01kaz3w9hqf8p9n2m4v5x6y7z8', name: 'Engineering' };

export const events = {
  'organization.scim_token.created': define('A SCIM token of an organization was issued.', Token, token),
  'organization.scim_token.deleted': define('A SCIM token was removed; it works no longer.', Token, token),
  'organization.scim_user.created': define('The directory of an organization added a person.', User, user),
  'organization.scim_user.updated': define(
    'The directory changed a person. `fields` are the attributes.',
    Type.Object({ ...User.properties, fields: Type.Array(text) }),
    { ...user, fields: ['title'] },
  ),
  'organization.scim_user.deactivated': define(
    'The directory deactivated a person, who is no longer a member of the organization. `account` says what happened to the account: `blocked` in the project, or `kept` with its sessions ended.',
    Type.Object({ ...User.properties, account: text }),
    { ...user, account: 'blocked' },
  ),
  'organization.scim_user.activated': define('The directory activated a person again.', User, user),
  'organization.scim_user.deleted': define('The directory removed a person.', User, user),
  'organization.scim_group.created': define('The directory of an organization added a group.', Group, group),
  'organization.scim_group.updated': define(
    'The directory changed a group or its members, or an administrator its roles.',
    Type.Object({ ...Group.properties, roles: Type.Array(text) }),
    { ...group, roles: ['billing'] },
  ),
  'organization.scim_group.deleted': define('The directory removed a group.', Group, group),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

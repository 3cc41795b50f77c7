import { type Static, Type } from 'typebox';
import { permissionKeys } from '#permissions';
import { perSystem, type System, type SystemInTx } from '#platform/system.ts';

/** A team member's role in a workspace. It is independent of roles in projects. */
const ROLES = ['owner', 'admin', 'developer', 'billing', 'support', 'senior_support', 'analyst', 'viewer'] as const;
export const TeamRole = Type.Enum([...ROLES]);
export type TeamRole = Static<typeof TeamRole>;

/** Permissions that only the console requires; all others are those of the admin API. */
const CONSOLE = [
  'overview:read',
  'workspace:read',
  'workspace:write',
  'workspace:delete',
  'projects:read',
  'projects:write',
  'projects:delete',
  'team:read',
  'team:write',
  'team-log-streams:read',
  'team-log-streams:write',
  'inbox:read',
] as const;

/** What the team of the built-in workspace may do for the whole installation. */
const INSTALLATION = ['workspaces:create', 'status:write'] as const;
/** What its owners may do in addition: backups hold the accounts of every workspace, and faults of backfills may name rows. */
const INSTALLATION_OWNER = [...INSTALLATION, 'backups:read', 'backfills:read'] as const;

/**
 * Permissions to delete a workspace or project, and to act for people. Only owners can give somebody a role with one of
 * these permissions.
 */
const OWNERS_ONLY = ['workspace:delete', 'projects:delete', 'applications:delegate', 'members:impersonate'];
/** Codes and links in the dev inbox open accounts; audit logs and invoices are confidential. */
const PRIVATE_READING = ['inbox:read', 'audit:read', 'billing:read', 'team-log-streams:read'];
const BASIC = ['overview:read', 'workspace:read', 'projects:read'];

type Row = { description: string; permissions: readonly string[] };

const SUPPORT = [
  ...BASIC,
  'members:read',
  'members:write',
  'invitations:read',
  'invitations:write',
  'organizations:read',
  'sessions:read',
  'sessions:revoke',
  'roles:read',
  'permissions:read',
  'events:read',
  'status:read',
];

/** Owners and admins get a new permission automatically; developers and viewers get it if it is for reading. */
const table = perSystem((system): Record<TeamRole, Row> => {
  const everything = [...CONSOLE, ...permissionKeys(system)];
  const reading = everything.filter((key) => key.endsWith(':read') && !PRIVATE_READING.includes(key));
  return {
    owner: { description: 'Everything, including the team and its owners.', permissions: everything },
    admin: {
      description:
        'Everything except adding and removing owners, acting for people, and deleting projects and the workspace.',
      permissions: everything.filter((key) => !OWNERS_ONLY.includes(key)),
    },
    developer: {
      description: 'Applications, APIs, sign-in, roles, domains, webhooks and settings; sees members, changes none.',
      permissions: [
        ...reading,
        'inbox:read',
        'apis:write',
        'applications:write',
        'applications:trust',
        'domains:write',
        'permissions:write',
        'providers:write',
        'roles:write',
        'settings:write',
        'webhooks:write',
      ],
    },
    billing: { description: 'Add-ons, usage and invoices.', permissions: [...BASIC, 'billing:read', 'billing:write'] },
    support: {
      description: 'Helps members: invites, blocks, resets and signs out.',
      permissions: SUPPORT,
    },
    senior_support: {
      description: 'Support that can also act as members, for a reason and a limited time. Granted by owners.',
      permissions: [...SUPPORT, 'members:impersonate'],
    },
    analyst: {
      description: 'Figures, events and logs; no lists of members.',
      permissions: [
        ...BASIC,
        'audit:read',
        'billing:read',
        'events:read',
        'permissions:read',
        'roles:read',
        'status:read',
        'webhooks:read',
      ],
    },
    viewer: { description: 'Reads the configuration and the members; changes nothing.', permissions: reading },
  };
});

/** The roles of a team, with what they may do in a workspace. */
export function teamRoles(system: System) {
  return ROLES.map((role) => {
    const { description, permissions } = table(system)[role];
    return { role, description, permissions: permissions.filter(ofWorkspace).sort() };
  });
}

/** Whether only owners can grant and take a role. */
export function isGivenByOwners(system: SystemInTx, role: TeamRole): boolean {
  return table(system)[role].permissions.some((key) => OWNERS_ONLY.includes(key));
}

/**
 * Whether the workspace is the built-in one. Its users are the operators themselves and its application is the console,
 * so a person who may change them could take over any operator's account. There, only owners may, and nobody acts as
 * an operator.
 */
type Kind = { builtIn: boolean };

/**
 * The permissions of a role in its workspace.
 * @param role null: none
 */
export function permissionsOfTeamRole(system: SystemInTx, role: TeamRole | null, kind: Kind): readonly string[] {
  return grantableBy(system, role, kind).filter(ofWorkspace);
}

/**
 * The permissions a role has and can grant in a project that does not keep the public status, where `status:write` has
 * no effect.
 */
export function grantableBy(system: SystemInTx, role: TeamRole | null, { builtIn }: Kind): readonly string[] {
  if (role === null) return [];
  const { permissions } = table(system)[role];
  if (!builtIn) return permissions;
  return role === 'owner'
    ? permissions.filter((key) => key !== 'members:impersonate')
    : permissions.filter((key) => key.endsWith(':read') || isOfConsole(key));
}

function isOfConsole(key: string): boolean {
  return CONSOLE.some((own) => own === key);
}

/** Whether a permission is for a workspace. The status belongs to the whole installation. */
function ofWorkspace(key: string): boolean {
  return key !== 'status:write';
}

/** The permissions of a role in the built-in workspace for the whole installation. */
export function permissionsForInstallation(role: TeamRole | null): readonly string[] {
  if (role === 'owner') return INSTALLATION_OWNER;
  return role === 'admin' ? INSTALLATION : [];
}

import { Type } from 'typebox';
import { applicationId, define, text, userId } from './definition.ts';

const memberId = 'mem_01kaz3w9hqf8p9n2m4v5x6y7z8';
const roleId = 'rol_01kaz3w9hqf8p9n2m4v5x6y7z8';
const Member = Type.Object({ memberId: text, userId: text });
const Role = Type.Object({ roleId: text, key: text });
const Provider = Type.Object({ providerId: text, key: text });
const Invitation = Type.Object({ invitationId: text, email: text });
const providerId = 'idp_01kaz3w9hqf8p9n2m4v5x6y7z8';
const invitationId = 'inv_01kaz3w9hqf8p9n2m4v5x6y7z8';
const Workspace = Type.Object({ workspaceId: text, name: text });
const workspace = { workspaceId: 'wrk_01kaz3w9hqf8p9n2m4v5x6y7z8', name: 'Acme' };
const Project = Type.Object({ projectId: text, name: text });
const project = { projectId: 'prj_01kaz3w9hqf8p9n2m4v5x6y7z8', name: 'Shop' };
const deletesAt = '2026-04-08T00:00:00.000Z';
const TeamMember = Type.Object({ teamMemberId: text, userId: text, role: text });
const teamMember = { teamMemberId: 'tmb_01kaz3w9hqf8p9n2m4v5x6y7z8', userId, role: 'developer' };
const teamInvitation = { invitationId: 'tin_01kaz3w9hqf8p9n2m4v5x6y7z8', email: 'ada@example.com' };
const importId = 'imp_01kaz3w9hqf8p9n2m4v5x6y7z8';
const Import = Type.Object({ importId: text, dryRun: Type.Boolean() });

const registrationTokenId = 'rgt_01kaz3w9hqf8p9n2m4v5x6y7z8';
const Organization = Type.Object({ organizationId: text, name: text });
const organization = { organizationId: 'org_01kaz3w9hqf8p9n2m4v5x6y7z8', name: 'Acme' };
const OrganizationMember = Type.Object({ organizationId: text, memberId: text, userId: text });
const organizationMember = { organizationId: organization.organizationId, memberId, userId };
const OrganizationRole = Type.Object({ key: text });
const Api = Type.Object({ apiId: text, identifier: text });
const api = { apiId: 'api_01kaz3w9hqf8p9n2m4v5x6y7z8', identifier: 'https://api.example.com/orders' };
const Domain = Type.Object({ domainId: text, host: text });
const domain = { domainId: 'dom_01kaz3w9hqf8p9n2m4v5x6y7z8', host: 'login.example.com' };
const DomainFault = Type.Object({ ...Domain.properties, fault: text });
const DomainBinding = Type.Object({ ...Domain.properties, purpose: text });
const fault = 'There is no TXT record at _latchkey-verification.login.example.com.';

/** Events of a project: its members, roles, applications and settings. */
export const projectEvents = {
  'project.created': define('A project was set up.', Project, project),
  'project.updated': define('A project got another name.', Project, project),
  'project.deletion.scheduled': define(
    'A project was closed; it is removed on that day.',
    Type.Object({ ...Project.properties, deletesAt: text }),
    { ...project, deletesAt },
  ),
  'project.deletion.cancelled': define('A closed project was restored.', Project, project),
  'project.deleted': define('A project was removed with everything in it.', Project, project),
  'workspace.deletion.scheduled': define(
    'A workspace was closed; it is removed on that day.',
    Type.Object({ ...Workspace.properties, deletesAt: text }),
    { ...workspace, deletesAt },
  ),
  'workspace.deletion.cancelled': define('A closed workspace was restored.', Workspace, workspace),
  'workspace.deleted': define('A workspace was removed with everything in it.', Workspace, workspace),
  'workspace.created': define('A workspace was set up.', Workspace, workspace),
  'workspace.updated': define('A workspace got another name.', Workspace, workspace),
  'team.member.added': define('An operator joined the team of a workspace.', TeamMember, teamMember),
  'team.member.changed': define('The role of an operator in the team of a workspace changed.', TeamMember, teamMember),
  'team.member.removed': define('An operator left the team of a workspace.', TeamMember, teamMember),
  'team.invitation.created': define('A person was invited to the team of a workspace.', Invitation, teamInvitation),
  'team.invitation.resent': define(
    'An invitation to the team was mailed again; the previous link became invalid.',
    Invitation,
    teamInvitation,
  ),
  'team.invitation.revoked': define('An invitation to the team was taken back.', Invitation, teamInvitation),
  'project.settings.updated': define(
    'Settings of a project environment changed.',
    Type.Object({ changed: Type.Array(text) }),
    { changed: ['registration'] },
  ),
  'identity.provider.created': define('An identity provider was added.', Provider, { providerId, key: 'google' }),
  'identity.provider.updated': define('An identity provider was changed.', Provider, { providerId, key: 'google' }),
  'identity.provider.deleted': define('An identity provider was removed.', Provider, { providerId, key: 'google' }),
  'identity.provider.tested': define(
    'The connection to an identity provider was tested.',
    Type.Object({ ...Provider.properties, ok: Type.Boolean() }),
    { providerId, key: 'google', ok: true },
  ),
  'invitation.created': define('A person was invited to the project.', Invitation, {
    invitationId,
    email: 'ada@example.com',
  }),
  'invitation.resent': define('An invitation was mailed again; the previous link became invalid.', Invitation, {
    invitationId,
    email: 'ada@example.com',
  }),
  'invitation.revoked': define('An invitation was taken back.', Invitation, { invitationId, email: 'ada@example.com' }),
  'invitation.accepted': define(
    'An invitation was accepted.',
    Type.Object({ ...Invitation.properties, userId: text }),
    { invitationId, email: 'ada@example.com', userId },
  ),
  'membership.created': define('A person became a member of a project.', Member, { memberId, userId }),
  'membership.updated': define(
    'The metadata of a member changed.',
    Type.Object({ ...Member.properties, changed: Type.Array(text) }),
    { memberId, userId, changed: ['metadata'] },
  ),
  'membership.deleted': define('A person is no longer a member of a project.', Member, { memberId, userId }),
  'membership.import.started': define('Members are being imported.', Import, { importId, dryRun: false }),
  'membership.import.completed': define(
    'An import of members is done.',
    Type.Object({
      ...Import.properties,
      created: Type.Integer(),
      joined: Type.Integer(),
      unchanged: Type.Integer(),
      failed: Type.Integer(),
    }),
    { importId, dryRun: false, created: 998, joined: 1, unchanged: 0, failed: 1 },
  ),
  'membership.exported': define('All members were exported.', Type.Object({ passwordHashes: Type.Boolean() }), {
    passwordHashes: true,
  }),
  'membership.blocked': define('A member was blocked.', Member, { memberId, userId }),
  'membership.unblocked': define('A member was unblocked.', Member, { memberId, userId }),
  'membership.roles.changed': define(
    'The roles of a member changed.',
    Type.Object({ ...Member.properties, roles: Type.Array(text) }),
    { memberId, userId, roles: ['viewer'] },
  ),
  'organization.created': define('An organization was added.', Organization, organization),
  'organization.updated': define(
    'The name, slug or metadata of an organization changed.',
    Type.Object({ ...Organization.properties, fields: Type.Array(text) }),
    { ...organization, fields: ['name'] },
  ),
  'organization.blocked': define('An organization was blocked.', Organization, organization),
  'organization.unblocked': define('An organization was unblocked.', Organization, organization),
  'organization.deleted': define('An organization was deleted; its memberships ended.', Organization, organization),
  'organization.member.added': define(
    'A member of the project became a member of an organization.',
    Type.Object({ ...OrganizationMember.properties, roles: Type.Array(text) }),
    { ...organizationMember, roles: ['owner'] },
  ),
  'organization.member.roles.changed': define(
    'The roles of a member in an organization changed.',
    Type.Object({ ...OrganizationMember.properties, roles: Type.Array(text) }),
    { ...organizationMember, roles: ['billing'] },
  ),
  'organization.member.removed': define(
    'A person is no longer a member of an organization. Where the membership of the project ends, `membership.deleted` says so alone.',
    OrganizationMember,
    organizationMember,
  ),
  'organization.role.created': define('A role of organizations was added.', OrganizationRole, { key: 'billing' }),
  'organization.role.updated': define('A role of organizations or its permissions changed.', OrganizationRole, {
    key: 'billing',
  }),
  'organization.role.deleted': define('A role of organizations was removed.', OrganizationRole, { key: 'billing' }),
  'role.created': define('A role was added.', Role, { roleId, key: 'editor' }),
  'role.updated': define('A role or its permissions changed.', Role, { roleId, key: 'editor' }),
  'role.deleted': define('A role was removed.', Role, { roleId, key: 'editor' }),
  'role.permission.created': define('A permission was added to the project.', Type.Object({ key: text }), {
    key: 'orders:refund',
  }),
  'role.permission.updated': define(
    'The description of a permission of the project changed.',
    Type.Object({ key: text }),
    {
      key: 'orders:refund',
    },
  ),
  'role.permission.deleted': define('A permission was removed from the project.', Type.Object({ key: text }), {
    key: 'orders:refund',
  }),
  'application.created': define('An OAuth/OIDC client was added.', Type.Object({ applicationId: text, kind: text }), {
    applicationId,
    kind: 'web',
  }),
  'application.updated': define(
    'A client was changed.',
    Type.Object({ applicationId: text, fields: Type.Array(text) }),
    { applicationId, fields: ['redirectUris'] },
  ),
  'application.deleted': define('A client was removed; its tokens ended.', Type.Object({ applicationId: text }), {
    applicationId,
  }),
  'application.secret.created': define(
    'A client got another secret.',
    Type.Object({ applicationId: text, secretId: text }),
    { applicationId, secretId: 'sec_01kaz3w9hqf8p9n2m4v5x6y7z8' },
  ),
  'application.secret.deleted': define(
    'A secret of a client was removed; its tokens ended.',
    Type.Object({ applicationId: text, secretId: text }),
    { applicationId, secretId: 'sec_01kaz3w9hqf8p9n2m4v5x6y7z8' },
  ),
  'application.secret.rotated': define(
    'The secrets of a client were replaced; its tokens ended.',
    Type.Object({ applicationId: text }),
    { applicationId },
  ),
  'application.disabled': define('A client was switched off; its tokens ended.', Type.Object({ applicationId: text }), {
    applicationId,
  }),
  'application.registered': define(
    'A program registered itself as an application, with a registration token.',
    Type.Object({ applicationId: text, registrationTokenId: text }),
    { applicationId, registrationTokenId },
  ),
  'application.registration_token.created': define(
    'A token to register applications with was issued.',
    Type.Object({ registrationTokenId: text, name: text }),
    { registrationTokenId, name: 'Partners' },
  ),
  'application.registration_token.deleted': define(
    'A token to register applications with was removed.',
    Type.Object({ registrationTokenId: text, name: text }),
    { registrationTokenId, name: 'Partners' },
  ),
  'api.created': define('An API was added.', Api, api),
  'api.updated': define('An API was changed.', Type.Object({ ...Api.properties, fields: Type.Array(text) }), {
    ...api,
    fields: ['scopes'],
  }),
  'api.deleted': define('An API was removed; no further tokens are issued for it.', Api, api),
  'domain.created': define('A domain was added; it has to be verified before it serves.', Domain, domain),
  'domain.verified': define('The proof of a domain was found.', Domain, domain),
  'domain.checked': define('The proof of a verified domain was looked up by hand, and found.', Domain, domain),
  'domain.check_failed': define(
    'The TXT record of a verified domain was not found. It is looked up again after an hour; if it is still missing, the domain is lost.',
    DomainFault,
    { ...domain, fault },
  ),
  'domain.lost': define(
    'The TXT record of a domain is missing: the domain serves nothing until it is verified again.',
    DomainFault,
    {
      ...domain,
      fault,
    },
  ),
  'domain.deleted': define('A domain was removed; it serves nothing from now on.', Domain, domain),
  'domain.bound': define('A domain became an auth or API address of the project.', DomainBinding, {
    ...domain,
    purpose: 'auth',
  }),
  'domain.unbound': define('A domain is an auth or API address no more.', DomainBinding, {
    ...domain,
    purpose: 'auth',
  }),
  'domain.certificate.issued': define(
    'A domain has a new certificate.',
    Type.Object({ ...Domain.properties, notAfter: text }),
    { ...domain, notAfter: '2026-04-01T00:00:00.000Z' },
  ),
  'domain.certificate.failed': define(
    'No certificate was issued for a domain; Latchkey orders it again later.',
    DomainFault,
    { ...domain, fault: 'Timeout during connect (likely firewall problem)' },
  ),
} as const;

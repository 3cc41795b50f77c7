import { type Static, type TObject, Type } from 'typebox';

type Definition<Data extends TObject = TObject> = {
  version: number;
  description: string;
  data: Data;
  example: Static<Data>;
};

function define<const Data extends TObject>(description: string, data: Data, example: Static<Data>): Definition<Data> {
  return { version: 1, description, data, example };
}

const text = Type.String();
const userId = 'usr_01kaz3w9hqf8p9n2m4v5x6y7z8';
const sessionId = 'ses_01kaz3w9hqf8p9n2m4v5x6y7z8';
const entryId = 'ent_01kaz3w9hqf8p9n2m4v5x6y7z8';
const memberId = 'mem_01kaz3w9hqf8p9n2m4v5x6y7z8';
const roleId = 'rol_01kaz3w9hqf8p9n2m4v5x6y7z8';
const applicationId = 'app_01kaz3w9hqf8p9n2m4v5x6y7z8';

const User = Type.Object({ userId: text });
const Session = Type.Object({ sessionId: text, userId: text });
const Member = Type.Object({ memberId: text, userId: text });
const Role = Type.Object({ roleId: text, key: text });
const Factor = Type.Object({ userId: text, factorId: text, type: text });
const Passkey = Type.Object({ userId: text, passkeyId: text });
const Provider = Type.Object({ providerId: text, key: text });
const Invitation = Type.Object({ invitationId: text, email: text });
const Workspace = Type.Object({ workspaceId: text, name: text });
const workspace = { workspaceId: 'wrk_01kaz3w9hqf8p9n2m4v5x6y7z8', name: 'Acme' };
const TeamMember = Type.Object({ teamMemberId: text, userId: text, role: text });
const teamMember = { teamMemberId: 'tmb_01kaz3w9hqf8p9n2m4v5x6y7z8', userId, role: 'developer' };
const factorId = 'fac_01kaz3w9hqf8p9n2m4v5x6y7z8';
const passkeyId = 'psk_01kaz3w9hqf8p9n2m4v5x6y7z8';
const identityId = 'idn_01kaz3w9hqf8p9n2m4v5x6y7z8';
const providerId = 'idp_01kaz3w9hqf8p9n2m4v5x6y7z8';
const invitationId = 'inv_01kaz3w9hqf8p9n2m4v5x6y7z8';
const Reason = Type.Object({ ...Session.properties, reason: text });
const Endpoint = Type.Object({ endpointId: text, url: text });
const endpoint = { endpointId: 'whe_01kaz3w9hqf8p9n2m4v5x6y7z8', url: 'https://example.com/hooks' };

/** Every event there is: what it means, what it carries, and an example. The emitting code is typed by it. */
export const catalogue = {
  'project.created': define('A project was set up.', Type.Object({ projectId: text, name: text }), {
    projectId: 'prj_01kaz3w9hqf8p9n2m4v5x6y7z8',
    name: 'Shop',
  }),
  'project.updated': define('A project got another name.', Type.Object({ projectId: text, name: text }), {
    projectId: 'prj_01kaz3w9hqf8p9n2m4v5x6y7z8',
    name: 'Shop',
  }),
  'workspace.created': define('A workspace was set up.', Workspace, workspace),
  'workspace.updated': define('A workspace got another name.', Workspace, workspace),
  'team.member.added': define('Somebody joined the team of a workspace.', TeamMember, teamMember),
  'team.member.changed': define('Somebody got another role in the team of a workspace.', TeamMember, teamMember),
  'team.member.removed': define('Somebody left the team of a workspace.', TeamMember, teamMember),
  'team.invitation.created': define('Somebody was invited to the team of a workspace.', Invitation, {
    invitationId: 'tin_01kaz3w9hqf8p9n2m4v5x6y7z8',
    email: 'ada@example.com',
  }),
  'team.invitation.resent': define('An invitation to the team was mailed again; the link before ended.', Invitation, {
    invitationId: 'tin_01kaz3w9hqf8p9n2m4v5x6y7z8',
    email: 'ada@example.com',
  }),
  'team.invitation.revoked': define('An invitation to the team was taken back.', Invitation, {
    invitationId: 'tin_01kaz3w9hqf8p9n2m4v5x6y7z8',
    email: 'ada@example.com',
  }),
  'project.settings.updated': define(
    'Settings of a project environment changed.',
    Type.Object({ changed: Type.Array(text) }),
    { changed: ['registration'] },
  ),
  'user.created': define(
    'A person registered or was added.',
    Type.Object({ userId: text, email: Type.Union([text, Type.Null()]) }),
    { userId, email: 'ada@example.com' },
  ),
  'user.login': define('A person signed in.', Type.Object({ ...Session.properties, amr: Type.Array(text) }), {
    userId,
    sessionId,
    amr: ['pwd'],
  }),
  'user.login_failed': define(
    'A sign-in was refused. `userId` is null when the identifier is unknown.',
    Type.Object({ userId: Type.Union([text, Type.Null()]), reason: text }),
    { userId, reason: 'invalid_credentials' },
  ),
  'user.logout': define('A person signed out.', Type.Object({ userId: text, everywhere: Type.Boolean() }), {
    userId,
    everywhere: false,
  }),
  'user.consent.granted': define(
    'A person let an application in.',
    Type.Object({ userId: text, applicationId: text, scopes: Type.Array(text) }),
    { userId, applicationId: 'app_01kaz3w9hqf8p9n2m4v5x6y7z8', scopes: ['openid', 'email'] },
  ),
  'user.consent.revoked': define(
    'A person took an application’s access back.',
    Type.Object({ userId: text, applicationId: text }),
    { userId, applicationId: 'app_01kaz3w9hqf8p9n2m4v5x6y7z8' },
  ),
  'user.email.verified': define(
    'A person proved that an email address is theirs.',
    Type.Object({ userId: text, email: text }),
    { userId, email: 'ada@example.com' },
  ),
  'user.verification.requested': define(
    'A code or link to prove an address was asked for.',
    Type.Object({ channel: text, purpose: text }),
    { channel: 'email', purpose: 'register' },
  ),
  'user.email.changed': define('A person has another email address.', User, { userId }),
  'user.phone.changed': define('A person has another phone number.', User, { userId }),
  'user.phone.verified': define('A person proved that a phone number is theirs.', User, { userId }),
  'user.mfa.enabled': define('A second factor was set up.', Factor, { userId, factorId, type: 'totp' }),
  'user.mfa.disabled': define('A second factor was removed.', Factor, { userId, factorId, type: 'totp' }),
  'user.mfa.reset': define('An administrator removed all second factors of a person.', User, { userId }),
  'user.mfa.challenged': define(
    'A second factor was asked for.',
    Type.Object({ userId: text, enrolling: Type.Boolean() }),
    {
      userId,
      enrolling: false,
    },
  ),
  'user.mfa.failed': define('A second factor was wrong.', User, { userId }),
  'user.recovery_codes.created': define('Recovery codes were made; older ones ended.', User, { userId }),
  'user.recovery_code.used': define('A recovery code was used.', User, { userId }),
  'user.passkey.added': define('A passkey was added.', Passkey, { userId, passkeyId }),
  'user.passkey.changed': define('A passkey was renamed or its use as a second factor changed.', Passkey, {
    userId,
    passkeyId,
  }),
  'user.passkey.removed': define('A passkey was removed.', Passkey, { userId, passkeyId }),
  'user.device.remembered': define('A device may skip the second factor for a while.', User, { userId }),
  'user.device.forgotten': define('A remembered device must pass the second factor again.', User, { userId }),
  'identity.linked': define(
    'An account at an identity provider was linked.',
    Type.Object({ userId: text, identityId: text, provider: text, issuer: text }),
    { userId, identityId, provider: 'google', issuer: 'https://accounts.google.com' },
  ),
  'identity.unlinked': define(
    'An account at an identity provider was unlinked.',
    Type.Object({ userId: text, identityId: text, provider: text }),
    { userId, identityId, provider: 'google' },
  ),
  'identity.provider.created': define('An identity provider was added.', Provider, { providerId, key: 'google' }),
  'identity.provider.updated': define('An identity provider was changed.', Provider, { providerId, key: 'google' }),
  'identity.provider.deleted': define('An identity provider was removed.', Provider, { providerId, key: 'google' }),
  'identity.provider.tested': define(
    'Somebody checked whether an identity provider answers.',
    Type.Object({ ...Provider.properties, ok: Type.Boolean() }),
    { providerId, key: 'google', ok: true },
  ),
  'identity.exchanged': define(
    'An application took the result of a sign-in at a provider.',
    Type.Object({ provider: text }),
    {
      provider: 'google',
    },
  ),
  'security.new_device': define('A person signed in from a device not used before, and was told.', Session, {
    userId,
    sessionId,
  }),
  'security.account_throttled': define('Failed sign-ins to an account are slowed down; its owner was told.', User, {
    userId,
  }),
  'security.failed_attempts': define(
    'A sign-in succeeded after many that failed; the owner was told.',
    Type.Object({ userId: text, count: Type.Integer() }),
    { userId, count: 7 },
  ),
  'user.password.changed': define('A password was set or changed.', User, { userId }),
  'profile.updated': define('Profile fields changed.', Type.Object({ userId: text, changed: Type.Array(text) }), {
    userId,
    changed: ['displayName'],
  }),
  'session.created': define('A session began.', Session, { sessionId, userId }),
  'session.revoked': define('A session was ended in every project.', Reason, { sessionId, userId, reason: 'logout' }),
  'session.entry.revoked': define(
    'A session was ended in one project.',
    Type.Object({ ...Reason.properties, entryId: text }),
    { sessionId, userId, entryId, reason: 'member_blocked' },
  ),
  'session.reuse_detected': define(
    'A refresh token was used again after its grace period; its token family was revoked.',
    Type.Object({ ...Session.properties, entryId: text }),
    { sessionId, userId, entryId },
  ),
  'session.context_switched': define(
    'A session entered another project.',
    Type.Object({ ...Session.properties, entryId: text, fromProjectId: text }),
    { sessionId, userId, entryId, fromProjectId: 'prj_01kaz3w9hqf8p9n2m4v5x6y7z8' },
  ),
  'session.reauthenticated': define(
    'A person proved anew who they are; the tokens before ended.',
    Type.Object({ ...Session.properties, amr: Type.Array(text), acr: text }),
    { sessionId, userId, amr: ['pwd', 'otp', 'mfa'], acr: 'aal2' },
  ),
  'invitation.created': define('Somebody was invited.', Invitation, { invitationId, email: 'ada@example.com' }),
  'invitation.resent': define('An invitation was mailed again; the link before ended.', Invitation, {
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
  'role.permission.created': define('A permission was added to the project.', Type.Object({ key: text }), {
    key: 'orders:refund',
  }),
  'role.permission.updated': define('A permission of the project was described anew.', Type.Object({ key: text }), {
    key: 'orders:refund',
  }),
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
  'webhook.endpoint.created': define('A webhook endpoint was added.', Endpoint, endpoint),
  'webhook.endpoint.updated': define(
    'A webhook endpoint was changed.',
    Type.Object({ ...Endpoint.properties, changed: Type.Array(text) }),
    { ...endpoint, changed: ['events'] },
  ),
  'webhook.endpoint.deleted': define('A webhook endpoint was removed.', Endpoint, endpoint),
  'webhook.endpoint.enabled': define(
    'A webhook endpoint was switched on; what waited for it goes on.',
    Endpoint,
    endpoint,
  ),
  'webhook.endpoint.disabled': define(
    'A webhook endpoint was switched off: by hand (`request`), because it answered 410 (`gone`), or after five days in which every attempt failed (`failing`).',
    Type.Object({ ...Endpoint.properties, reason: text }),
    { ...endpoint, reason: 'failing' },
  ),
  'webhook.endpoint.secret_rotated': define(
    'A webhook endpoint has a new signing secret; the one before signs along until `overlapUntil`.',
    Type.Object({ ...Endpoint.properties, overlapUntil: text }),
    { ...endpoint, overlapUntil: '2026-01-02T00:00:00.000Z' },
  ),
  'webhook.endpoint.tested': define(
    'An example event was sent to a webhook endpoint.',
    Type.Object({ ...Endpoint.properties, type: text }),
    { ...endpoint, type: 'user.created' },
  ),
  'webhook.endpoint.retried': define(
    'A delivery is to be attempted again, by hand.',
    Type.Object({ ...Endpoint.properties, deliveryId: text, eventId: text }),
    {
      ...endpoint,
      deliveryId: 'dlv_01kaz3w9hqf8p9n2m4v5x6y7z8',
      eventId: 'evt_01kaz3w9hqf8p9n2m4v5x6y7z8',
    },
  ),
  'webhook.endpoint.replayed': define(
    'Events of a time range are sent to a webhook endpoint again.',
    Type.Object({ ...Endpoint.properties, since: text, until: text }),
    { ...endpoint, since: '2026-01-01T00:00:00.000Z', until: '2026-01-02T00:00:00.000Z' },
  ),
  'webhook.endpoint.recovered': define(
    'Everything that a webhook endpoint has missed since a point in time is sent again.',
    Type.Object({ ...Endpoint.properties, since: text }),
    { ...endpoint, since: '2026-01-01T00:00:00.000Z' },
  ),
} as const satisfies Record<string, Definition>;

export type EventType = keyof typeof catalogue;

export type EventData<T extends EventType> = Static<(typeof catalogue)[T]['data']>;

export const eventTypes = Object.keys(catalogue).filter((type): type is EventType => type in catalogue);

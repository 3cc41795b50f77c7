import { Type } from 'typebox';
import { define, text, userId } from './definition.ts';

const sessionId = 'ses_01kaz3w9hqf8p9n2m4v5x6y7z8';
const entryId = 'ent_01kaz3w9hqf8p9n2m4v5x6y7z8';
const User = Type.Object({ userId: text });
const Session = Type.Object({ sessionId: text, userId: text });
const Factor = Type.Object({ userId: text, factorId: text, type: text });
const Passkey = Type.Object({ userId: text, passkeyId: text });
const factorId = 'fac_01kaz3w9hqf8p9n2m4v5x6y7z8';
const passkeyId = 'psk_01kaz3w9hqf8p9n2m4v5x6y7z8';
const identityId = 'idn_01kaz3w9hqf8p9n2m4v5x6y7z8';
const Impersonated = Type.Object({ userId: text, supporterId: text, reason: text, endsAt: text });
const impersonated = {
  userId,
  supporterId: 'usr_01kaz3w9hqf8p9n2m4v5x6y7z9',
  reason: 'Ticket 4711: the invoice does not load',
  endsAt: '2026-01-01T00:30:00.000Z',
};
const Reason = Type.Object({ ...Session.properties, reason: text });

/** Events of users, their credentials and their sessions. */
export const peopleEvents = {
  'user.created': define(
    'A person registered or was added.',
    Type.Object({ userId: text, email: Type.Union([text, Type.Null()]) }),
    { userId, email: 'ada@example.com' },
  ),
  'user.updated': define(
    'The profile, the username, the email address or the phone number of a person changed. More specific events say the same.',
    Type.Object({ userId: text, changed: Type.Array(text) }),
    { userId, changed: ['displayName'] },
  ),
  'user.erasure.scheduled': define(
    'An account is to be erased. Signing in before `erasesAt` keeps it.',
    Type.Object({ userId: text, erasesAt: text }),
    { userId, erasesAt: '2026-01-08T00:00:00.000Z' },
  ),
  'user.erasure.cancelled': define('A person signed in again, so the account is kept.', User, { userId }),
  'user.deleted': define('A person was erased. Earlier events no longer identify them.', User, { userId }),
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
    'A person revoked an application’s access.',
    Type.Object({ userId: text, applicationId: text }),
    { userId, applicationId: 'app_01kaz3w9hqf8p9n2m4v5x6y7z8' },
  ),
  'user.delegated': define(
    'An application exchanged a token of a person for one to act for them at a resource server. `issuedTo` is the application that the token was issued to.',
    Type.Object({ userId: text, applicationId: text, issuedTo: text, resource: text, scopes: Type.Array(text) }),
    {
      userId,
      applicationId: 'app_01kaz3w9hqf8p9n2m4v5x6y7z8',
      issuedTo: 'app_01kaz3w9hqf8p9n2m4v5x6y7z9',
      resource: 'https://orders.example.com',
      scopes: ['openid', 'roles'],
    },
  ),
  'user.impersonation.allowed': define(
    'Somebody may act as a person until `endsAt`; it has not begun.',
    Impersonated,
    impersonated,
  ),
  'user.impersonation.started': define(
    'Somebody acts as a person until `endsAt`, who was told.',
    Impersonated,
    impersonated,
  ),
  'user.impersonation.ended': define(
    'Somebody no longer acts as a person, before its time was over. `cause` is `user` or `admin` if the person or an administrator ended it, `session_ended` if the session of who acted ended, otherwise the reason for which the sessions of the person, or the grant, ended.',
    Type.Object({ userId: text, supporterId: text, cause: text }),
    { userId, supporterId: impersonated.supporterId, cause: 'user' },
  ),
  'user.email.verified': define(
    'A person proved that an email address is theirs.',
    Type.Object({ userId: text, email: text }),
    { userId, email: 'ada@example.com' },
  ),
  'user.reclaimed': define(
    'A person verified the address of an account that another person had created with it. Everything that was added before is removed: password, passkeys, second factors, linked identities, other addresses, sessions.',
    Type.Object({ userId: text }),
    { userId },
  ),
  'user.verification.requested': define(
    'A code or link to prove an address was asked for.',
    Type.Object({ channel: text, purpose: text }),
    { channel: 'email', purpose: 'register' },
  ),
  'user.email.changed': define(
    'A person has another email address: this one.',
    Type.Object({ userId: text, email: text }),
    { userId, email: 'ada@example.com' },
  ),
  'user.phone.changed': define(
    'A person has another phone number: this one.',
    Type.Object({ userId: text, phone: text }),
    { userId, phone: '+493012345678' },
  ),
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
  'identity.exchanged': define(
    'An application exchanged the code of a sign-in at an identity provider.',
    Type.Object({ provider: text }),
    {
      provider: 'google',
    },
  ),
  'security.new_device': define('A person signed in from a new device and was notified.', Session, {
    userId,
    sessionId,
  }),
  'security.account_throttled': define('Failed sign-ins to an account are slowed down; the user was notified.', User, {
    userId,
  }),
  'security.failed_attempts': define(
    'A sign-in succeeded after many failed attempts; the user was notified.',
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
    'A person authenticated again; the previous tokens ended.',
    Type.Object({ ...Session.properties, amr: Type.Array(text), acr: text }),
    { sessionId, userId, amr: ['pwd', 'otp', 'mfa'], acr: 'aal2' },
  ),
} as const;

import { Type } from 'typebox';
import { applicationId, define, type EventData, text, userId } from '#platform/event.ts';

const Impersonated = Type.Object({ userId: text, supporterId: text, reason: text, endsAt: text });
const impersonated = {
  userId,
  supporterId: 'usr_01kaz3w9hqf8p9n2m4v5x6y7z9',
  reason: 'Ticket 4711: the invoice does not load',
  endsAt: '2026-01-01T00:30:00.000Z',
};

export const events = {
  'user.consent.granted': define(
    'A person let an application in.',
    Type.Object({ userId: text, applicationId: text, scopes: Type.Array(text) }),
    { userId, applicationId, scopes: ['openid', 'email'] },
  ),
  'user.consent.revoked': define(
    'A person revoked an application’s access.',
    Type.Object({ userId: text, applicationId: text }),
    { userId, applicationId },
  ),
  'user.delegated': define(
    'An application exchanged a person’s token for one with which it acts for them at a resource server. `issuedTo` is the application that the token was issued to.',
    Type.Object({ userId: text, applicationId: text, issuedTo: text, resource: text, scopes: Type.Array(text) }),
    {
      userId,
      applicationId,
      issuedTo: 'app_01kaz3w9hqf8p9n2m4v5x6y7z9',
      resource: 'https://orders.example.com',
      scopes: ['openid', 'roles'],
    },
  ),
  'user.impersonation.allowed': define(
    'A member, an operator or a management client got a ticket to act as a person until `endsAt`; the impersonation has not started.',
    Impersonated,
    impersonated,
  ),
  'user.impersonation.started': define(
    'A member, an operator or a management client acts as a person until `endsAt`; the person was notified.',
    Impersonated,
    impersonated,
  ),
  'user.impersonation.ended': define(
    'An impersonation, or the ticket for it, ended early. `cause` is `user` or `admin` if the person or an administrator ended it, `session_ended` if the session of the supporter ended, `roles_changed`, `team_changed` or `application_changed` if the supporter lost the permission, otherwise the reason for which the person’s sessions or the grant ended.',
    Type.Object({ userId: text, supporterId: text, cause: text }),
    { userId, supporterId: impersonated.supporterId, cause: 'user' },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

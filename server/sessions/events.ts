import { Type } from 'typebox';
import { applicationId, define, type EventData, text, userId } from '#platform/event.ts';

const sessionId = 'ses_01kaz3w9hqf8p9n2m4v5x6y7z8';
const entryId = 'ent_01kaz3w9hqf8p9n2m4v5x6y7z8';
const Session = Type.Object({ sessionId: text, userId: text });
const Reason = Type.Object({ ...Session.properties, reason: text });

export const events = {
  'user.login': define(
    'A person signed in. `applicationId` is the application that they signed in to, where the sign-in named one.',
    Type.Object({ ...Session.properties, amr: Type.Array(text), applicationId: Type.Optional(text) }),
    { userId, sessionId, amr: ['pwd'], applicationId },
  ),
  'session.created': define('A session began.', Session, { sessionId, userId }),
  'session.revoked': define('A session was ended in every project.', Reason, { sessionId, userId, reason: 'logout' }),
  'session.entry.revoked': define(
    'A session was ended in one project, or in one of its organizations.',
    Type.Object({ ...Reason.properties, entryId: text, organizationId: Type.Optional(text) }),
    { sessionId, userId, entryId, reason: 'member_blocked' },
  ),
  'session.reuse_detected': define(
    'A refresh token was used again after its grace period; its token family was revoked.',
    Type.Object({ ...Session.properties, entryId: text }),
    { sessionId, userId, entryId },
  ),
  'session.context_switched': define(
    'A session entered another project, or an organization.',
    Type.Object({ ...Session.properties, entryId: text, fromProjectId: text, organizationId: Type.Optional(text) }),
    { sessionId, userId, entryId, fromProjectId: 'prj_01kaz3w9hqf8p9n2m4v5x6y7z8' },
  ),
  'session.reauthenticated': define(
    'A person authenticated again; the previous tokens ended.',
    Type.Object({ ...Session.properties, amr: Type.Array(text), acr: text }),
    { sessionId, userId, amr: ['pwd', 'otp', 'mfa'], acr: 'aal2' },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

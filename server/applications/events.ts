import { Type } from 'typebox';
import { applicationId, define, type EventData, text } from '#platform/event.ts';

const registrationTokenId = 'rgt_01kaz3w9hqf8p9n2m4v5x6y7z8';

export const events = {
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
  'application.disabled': define('A client was disabled; its tokens ended.', Type.Object({ applicationId: text }), {
    applicationId,
  }),
  'application.registered': define(
    'A program registered itself as an application, with a registration token.',
    Type.Object({ applicationId: text, registrationTokenId: text }),
    { applicationId, registrationTokenId },
  ),
  'application.registration_token.created': define(
    'A registration token was issued.',
    Type.Object({ registrationTokenId: text, name: text }),
    { registrationTokenId, name: 'Partners' },
  ),
  'application.registration_token.deleted': define(
    'A registration token was removed.',
    Type.Object({ registrationTokenId: text, name: text }),
    { registrationTokenId, name: 'Partners' },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

const keyId = 'sky_01kaz3w9hqf8p9n2m4v5x6y7z8';

export const events = {
  'saml.key.created': define(
    'A key for SAML was added. It is in the metadata of the applications; `signs` says whether it signs already.',
    Type.Object({ keyId: text, signs: Type.Boolean() }),
    { keyId, signs: false },
  ),
  'saml.key.activated': define('Another key signs assertions from now on.', Type.Object({ keyId: text }), { keyId }),
  'saml.key.deleted': define('A key for SAML was removed from the metadata.', Type.Object({ keyId: text }), { keyId }),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

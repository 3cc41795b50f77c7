import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

const Provider = Type.Object({ providerId: text, key: text });
const providerId = 'idp_01kaz3w9hqf8p9n2m4v5x6y7z8';

export const events = {
  'identity.provider.created': define('An identity provider was added.', Provider, { providerId, key: 'google' }),
  'identity.provider.updated': define('An identity provider was changed.', Provider, { providerId, key: 'google' }),
  'identity.provider.deleted': define('An identity provider was removed.', Provider, { providerId, key: 'google' }),
  'identity.provider.tested': define(
    'The connection to an identity provider was tested.',
    Type.Object({ ...Provider.properties, ok: Type.Boolean() }),
    { providerId, key: 'google', ok: true },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

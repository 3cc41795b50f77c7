import { Type } from 'typebox';
import { define, type EventData, text, userId } from '#platform/event.ts';

const identityId = 'idn_01kaz3w9hqf8p9n2m4v5x6y7z8';

export const events = {
  'identity.linked': define(
    'An account at an identity provider was linked.',
    Type.Object({ userId: text, identityId: text, provider: text, issuer: text }),
    { userId, identityId, provider: 'google', issuer: 'https://accounts.google.com' },
  ),
  'identity.confirmed': define(
    'A person confirmed a linked account at an identity provider by a proof of their own.',
    Type.Object({ userId: text, identityId: text, provider: text }),
    { userId, identityId, provider: 'con_01kaz3w9hqf8p9n2m4v5x6y7z8' },
  ),
  'identity.unlinked': define(
    'An account at an identity provider was unlinked.',
    Type.Object({ userId: text, identityId: text, provider: text }),
    { userId, identityId, provider: 'google' },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

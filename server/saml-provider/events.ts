import { Type } from 'typebox';
import { applicationId, define, type EventData, text, userId } from '#platform/event.ts';

export const events = {
  'saml.assertion.issued': define(
    'A person signed in at an application by SAML.',
    Type.Object({ userId: text, applicationId: text }),
    { userId, applicationId },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

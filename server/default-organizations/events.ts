import { Type } from 'typebox';
import { define, type EventData, text, userId } from '#platform/event.ts';
import { nullable } from '#platform/schemas.ts';

export const events = {
  'organization.default.changed': define(
    'A person chose another default organization, or none.',
    Type.Object({ organizationId: nullable(text), memberId: text, userId: text }),
    { organizationId: 'org_01kaz3w9hqf8p9n2m4v5x6y7z8', memberId: 'mem_01kaz3w9hqf8p9n2m4v5x6y7z8', userId },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

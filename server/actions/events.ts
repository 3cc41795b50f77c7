import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';
import { nullable } from '#platform/schemas.ts';

const Action = Type.Object({ actionId: text, moment: text, url: text });
const action = {
  actionId: 'act_01kaz3w9hqf8p9n2m4v5x6y7z8',
  moment: 'sign_in',
  url: 'https://example.com/actions',
};

export const events = {
  'action.created': define('An action was added.', Action, action),
  'action.updated': define('An action was changed.', Type.Object({ ...Action.properties, changed: Type.Array(text) }), {
    ...action,
    changed: ['enabled'],
  }),
  'action.deleted': define('An action was removed.', Action, action),
  'action.secret_rotated': define(
    'An action has a new signing secret; the previous one also signs until `overlapUntil`.',
    Type.Object({ ...Action.properties, overlapUntil: text }),
    { ...action, overlapUntil: '2026-01-02T00:00:00.000Z' },
  ),
  'action.tested': define(
    'An action was called with an example.',
    Type.Object({ ...Action.properties, decision: text }),
    { ...action, decision: 'allow' },
  ),
  'action.refused': define(
    'An action refused a registration, a sign-in or a message. `userId` is null without an account.',
    Type.Object({ ...Action.properties, userId: nullable(text) }),
    { ...action, userId: 'usr_01kaz3w9hqf8p9n2m4v5x6y7z8' },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

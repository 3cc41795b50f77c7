import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

export const events = {
  'project.settings.updated': define(
    'Settings of a project environment changed.',
    Type.Object({ changed: Type.Array(text) }),
    { changed: ['registration'] },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

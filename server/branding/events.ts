import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

export const events = {
  'project.branding.changed': define(
    'A logo or an icon of a project environment was uploaded or removed.',
    Type.Object({ fields: Type.Array(text) }),
    { fields: ['logo'] },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

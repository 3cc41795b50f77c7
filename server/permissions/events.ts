import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

export const events = {
  'role.permission.created': define('A permission was added to the project.', Type.Object({ key: text }), {
    key: 'orders:refund',
  }),
  'role.permission.updated': define(
    'The description of a permission of the project changed.',
    Type.Object({ key: text }),
    {
      key: 'orders:refund',
    },
  ),
  'role.permission.deleted': define('A permission was removed from the project.', Type.Object({ key: text }), {
    key: 'orders:refund',
  }),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

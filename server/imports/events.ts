import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

const importId = 'imp_01kaz3w9hqf8p9n2m4v5x6y7z8';
const Import = Type.Object({ importId: text, dryRun: Type.Boolean() });

export const events = {
  'membership.import.started': define('Members are being imported.', Import, { importId, dryRun: false }),
  'membership.import.completed': define(
    'An import of members is done.',
    Type.Object({
      ...Import.properties,
      created: Type.Integer(),
      joined: Type.Integer(),
      unchanged: Type.Integer(),
      failed: Type.Integer(),
    }),
    { importId, dryRun: false, created: 998, joined: 1, unchanged: 0, failed: 1 },
  ),
  'membership.exported': define('All members were exported.', Type.Object({ passwordHashes: Type.Boolean() }), {
    passwordHashes: true,
  }),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

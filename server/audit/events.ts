import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

const Range = Type.Object({ first: Type.Integer(), last: Type.Integer() });

export const events = {
  'audit.entries_erased': define(
    'The content of audit log entries was removed, because they name a person who was erased (`person_erased`), or was found removed when erasures were first recorded (`before_upgrade`). `ranges` are the sequences of the entries.',
    Type.Object({ reason: text, ranges: Type.Array(Range) }),
    { reason: 'person_erased', ranges: [{ first: 7, last: 9 }] },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

const Range = Type.Object({ first: Type.Integer(), last: Type.Integer() });

export const events = {
  'audit.entries_erased': define(
    'The content of entries of the audit log was removed, because a person whom they name was erased (`person_erased`), or was found removed when this was first written down (`before_upgrade`). `ranges` are their sequences.',
    Type.Object({ reason: text, ranges: Type.Array(Range) }),
    { reason: 'person_erased', ranges: [{ first: 7, last: 9 }] },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

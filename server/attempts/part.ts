import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { events } from './events.ts';

export const part = {
  events,
  removals: [rowsOfWorkspace('spent_proofs'), rowsOfWorkspace('throttled_places')],
  cleanUps: {
    'expired spent proofs': expiredRowsOf('spent_proofs'),
    'throttled places': expiredRowsOf('throttled_places'),
  },
} satisfies Part;

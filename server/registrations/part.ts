import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { removeOldRegistrations } from './registrations.ts';

export const part = {
  removals: [rowsOfProject('begun_registrations')],
  cleanUps: { removeOldRegistrations },
} satisfies Part;

import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { removeActivePeople } from './figures.ts';

export const figuresPart = {
  removals: [rowsOfProject('daily_figures'), rowsOfProject('active_people')],
  cleanUps: { removeActivePeople },
} satisfies Part;

import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';

export const invitationsPart: Part = {
  removals: [rowsOfProject('invitations')],
};

import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';

export const invitationsPart = {
  removals: [rowsOfProject('invitations')],
} satisfies Part;

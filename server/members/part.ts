import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { membersOfProject } from './removal.ts';

export const membersPart = {
  removals: [membersOfProject, rowsOfProject('member_roles'), rowsOfProject('roles')],
} satisfies Part;

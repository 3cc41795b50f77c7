import type { TeamRole } from '#api/records.ts';

export const teamRoles: readonly TeamRole[] = [
  'owner',
  'admin',
  'developer',
  'billing',
  'support',
  'senior_support',
  'analyst',
  'viewer',
];

export const isTeamRole = (text: string | null): text is TeamRole => teamRoles.some((role) => role === text);

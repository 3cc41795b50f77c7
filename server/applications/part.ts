import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';

export const applicationsPart = {
  removals: [
    rowsOfProject('applications', 'application_secrets'),
    rowsOfProject('registration_tokens'),
    rowsOfProject('identity_providers'),
  ],
} satisfies Part;

import type { Part } from '#platform/part.ts';
import { oidcCleanup } from './adapter.ts';
import { consents, records } from './removal.ts';

export const oidcPart = {
  removals: [consents, records],
  cleanUps: { oidcCleanup },
} satisfies Part;

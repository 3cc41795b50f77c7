import type { Part } from '#platform/part.ts';
import { tagKeys, tagKeysRemoval } from './lasting-tags.ts';

export const part = {
  sealed: { 'workspace-tag-keys': tagKeys },
  removals: [tagKeysRemoval],
} satisfies Part;

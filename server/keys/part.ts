import type { Part } from '#platform/part.ts';
import { rotateDueKeys } from './rotation.ts';

export const keysPart = {
  cleanUps: { rotateDueKeys },
} satisfies Part;

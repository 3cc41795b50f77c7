import type { Part } from '#platform/part.ts';
import { rotateDueKeys } from './rotation.ts';

export const part = { cleanUps: { rotateDueKeys } } satisfies Part;

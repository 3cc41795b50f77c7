import type { Part } from '#platform/part.ts';
import { metrics } from './metrics.ts';
import { rotateDueKeys } from './rotation.ts';

export const part = { cleanUps: { rotateDueKeys }, metrics } satisfies Part;

import type { Part } from '#platform/part.ts';
import { metrics } from './metrics.ts';

export const part = { metrics } satisfies Part;

import type { Part } from '#platform/part.ts';
import { requireEntering } from './admission.ts';

export const part = { requireEntering } satisfies Part;

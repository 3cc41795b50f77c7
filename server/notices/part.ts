import type { Part } from '#platform/part.ts';
import { events } from './events.ts';

export const part = { events } satisfies Part;

import type { Part } from '#platform/part.ts';
import { backupRoutes } from './backups.console.ts';
import { events } from './events.ts';
import { metrics } from './metrics.ts';

export const part = { events, routes: { console: backupRoutes }, metrics } satisfies Part;

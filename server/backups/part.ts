import type { Part } from '#platform/part.ts';
import { backupRoutes } from './backups.console.ts';
import { metrics } from './metrics.ts';

export const part = { routes: { console: backupRoutes }, metrics } satisfies Part;

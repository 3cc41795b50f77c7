import type { Routes } from '#platform/route.ts';
import { oneConnectionRoutes } from './connection.page.ts';
import { connectionRoutes } from './connections.page.ts';
import { directoryRoutes } from './directory.page.ts';
import { domainRoutes } from './domains.page.ts';
import { groupRoutes } from './groups.page.ts';
import { openingRoutes } from './opening.page.ts';
import { overviewRoutes } from './overview.page.ts';
import { policyRoutes } from './policies.page.ts';
import { teamRoutes } from './team.page.ts';

/** The pages of set-up links. They work without JavaScript. */
export const setupRoutes: Routes = [
  ...openingRoutes,
  ...overviewRoutes,
  ...domainRoutes,
  ...connectionRoutes,
  ...oneConnectionRoutes,
  ...directoryRoutes,
  ...groupRoutes,
  ...policyRoutes,
  ...teamRoutes,
];

import { deleteOldRows, expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import type { System } from '#platform/system.ts';
import { events } from './events.ts';
import { setupRoutes } from './setup.page.ts';
import { setupLinkRoutes } from './setup-links.admin.ts';
import { ownSetupLinkRoutes } from './setup-links.me.ts';
import { eraseAddresses } from './setup-links.ts';

const KEPT_DAYS = 90;

/** The audit log has what happened with a link; the link itself goes some time after its end. */
async function deleteOldLinks(system: System): Promise<void> {
  const since = new Date(system.clock.now().getTime() - KEPT_DAYS * 86_400_000);
  await deleteOldRows(system, 'setup_links', { column: 'expires_at', before: since });
}

export const part = {
  events,
  routes: { auth: setupRoutes, me: ownSetupLinkRoutes, admin: setupLinkRoutes },
  sealed: { 'setup-step': 'browsers' },
  removals: [rowsOfProject('setup_links', 'setup_visits')],
  cleanUps: { 'expired set-up visits': expiredRowsOf('setup_visits'), deleteOldLinks },
  erasure: { requested: () => Promise.resolve(), erased: eraseAddresses },
} satisfies Part;

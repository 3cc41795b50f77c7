import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { events } from './events.ts';
import { importRoutes } from './imports.admin.ts';
import { importTask } from './imports.task.ts';
import { removeOldImports } from './imports.ts';

export const part = {
  events,
  routes: {
    admin: importRoutes,
  },
  permissions: {
    'members:import': 'Import and export members',
    'members:credentials': 'Export password hashes',
  },
  removals: [
    rowsOfProject('member_import_chunks'),
    rowsOfProject('member_import_dry_runs'),
    rowsOfProject('member_imports'),
  ],
  cleanUps: { removeOldImports },
  tasks: { import_members: importTask },
} satisfies Part;

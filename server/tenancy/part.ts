import { sql } from 'kysely';
import { idempotencyKeysOfWorkspace } from '#platform/http-once.ts';
import { countsOfWorkspace } from '#platform/limits.ts';
import type { Part } from '#platform/part.ts';
import { workspaceByRoutingKey } from './workspaces.ts';

export const part = {
  workspaceOf: workspaceByRoutingKey,
  removals: [idempotencyKeysOfWorkspace, countsOfWorkspace],
  carriage: {
    workspaces: { rows: (workspace) => sql`id = ${workspace}` },
    default_projects: { staysBecause: 'each installation has its own default projects' },
  },
} satisfies Part;

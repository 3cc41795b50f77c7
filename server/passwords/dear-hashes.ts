import { sql } from 'kysely';
import type { Environment } from '#platform/ctx.ts';
import type { WorkspaceId } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import { costOf, isWithin, MAX_HASH_COST } from './hash-costs.ts';

/** The parameters of a hash that determine the cost of its check. */
const PARAMETERS =
  '^(\\$argon2\\w+\\$(v=\\d+\\$)?m=\\d+,t=\\d+,p=\\d+|\\$2[abxy]\\$\\d\\d|\\$scrypt\\$ln=\\d+,r=\\d+,p=\\d+|\\$firebase-scrypt\\$ln=\\d+,r=\\d+|\\$pbkdf2-\\w+\\$(i=)?\\d+|pbkdf2_\\w+\\$\\d+)';

type DearHashes = { workspaceId: WorkspaceId; environment: Environment; count: number };

/**
 * Password hashes that were imported before there was a cost limit and exceed it. They still work, one at a time, and
 * are replaced at the user's next sign-in. Reads the whole table: for `doctor` only.
 */
export async function dearHashes(system: System): Promise<DearHashes[]> {
  const { rows } = await sql<DearHashes & { example: string }>`
    select workspace_id as "workspaceId", environment, count(*) as count, min(hash) as example
    from passwords group by workspace_id, environment, substring(hash from ${PARAMETERS}) /* all workspaces */`.execute(
    system.db,
  );
  return rows.flatMap(({ example, ...found }) => {
    const cost = costOf(example);
    return cost === null || isWithin(cost, MAX_HASH_COST) ? [] : [found];
  });
}

import { projectOf } from '#environments';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import type { ProjectId, UserId, WorkspaceId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { problem } from '#platform/problem.ts';
import { acrossProjects, scopeColumns } from '#platform/scoped.ts';
import { isClosed } from '#tenancy';

/**
 * `upstream`: a finished sign-in at a provider. `link`: the same, started by a signed-in user to link an identity.
 * `link_token`: an identity to link once the account of its address is proven. `address`: a clicked mailed link.
 * `connection`: a finished sign-in through a connection of an organization. `status_page`: a member on the way to a status page
 * at another host.
 */
type Purpose = 'upstream' | 'link' | 'link_token' | 'address' | 'connection' | 'status_page';

type ExchangeCodesTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  hash: Buffer;
  project_id: ProjectId;
  purpose: Purpose;
  sealed: string;
  user_id: UserId | null;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    exchange_codes: ExchangeCodesTable;
  }
}

const SEALED = 'exchange-code';
const SHAPE = '^lkc_[a-z0-9]{8}_[A-Za-z0-9_-]{43}$';
export const EXCHANGE_CODE = SHAPE;

/** The content of a code, its user if known, and its lifetime in seconds. */
type NewCode = { purpose: Purpose; content: Record<string, unknown>; userId: UserId | null; seconds: number };

/** Issues a code that an application exchanges once for its content. */
export async function issueExchangeCode(tx: TxCtx, { purpose, content, userId, seconds }: NewCode): Promise<string> {
  const { routingKey } = await projectOf(tx.system, tx.scope);
  const code = `lkc_${routingKey}_${randomSecret()}`;
  const hash = hashSecret(code);
  await tx.db
    .insertInto('exchange_codes')
    .values({
      ...scopeColumns(tx),
      hash,
      purpose,
      user_id: userId,
      sealed: tx.system.keyring.seal(JSON.stringify(content), SEALED, hash.toString('hex')),
      expires_at: new Date(tx.now.getTime() + seconds * 1000),
    })
    .execute();
  return code;
}

/** Deletes the codes that prove a user. Served by exchange_codes_of_user. */
export async function removeCodesOf(tx: TxCtx, userId: UserId): Promise<void> {
  await tx.db.deleteFrom('exchange_codes').where(acrossProjects(tx)).where('user_id', '=', userId).execute();
}

/**
 * Spends a code; exactly one concurrent call gets its content.
 * @throws Problem INVALID_TOKEN
 */
export async function spendExchangeCode(
  tx: TxCtx,
  code: string,
  purposes: readonly Purpose[],
): Promise<{ purpose: Purpose; projectId: ProjectId; content: unknown }> {
  const hash = hashSecret(code);
  const row = await tx.db
    .deleteFrom('exchange_codes')
    .where(acrossProjects(tx))
    .where('hash', '=', hash)
    .where('purpose', 'in', purposes)
    .where('expires_at', '>', tx.now)
    .returning(['purpose', 'project_id', 'sealed'])
    .executeTakeFirst();
  if (!row) throw problem('INVALID_TOKEN');
  const content: unknown = JSON.parse(tx.system.keyring.open(row.sealed, SEALED, hash.toString('hex')));
  return { purpose: row.purpose, projectId: row.project_id, content };
}

/**
 * Reads the content of a code without spending it.
 * @throws Problem INVALID_TOKEN
 */
export async function lookAtExchangeCode(ctx: Ctx, code: string, purpose: Purpose): Promise<unknown> {
  const hash = hashSecret(code);
  const row = await ctx.db
    .selectFrom('exchange_codes')
    .select('sealed')
    .where(acrossProjects(ctx))
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', ctx.now)
    .executeTakeFirst();
  if (!row) throw problem('INVALID_TOKEN');
  return JSON.parse(ctx.system.keyring.open(row.sealed, SEALED, hash.toString('hex')));
}

/**
 * The project a code belongs to.
 * @throws Problem INVALID_TOKEN
 */
export async function projectOfCode(ctx: Ctx, code: string): Promise<ProjectId> {
  const row = await ctx.db
    .selectFrom('exchange_codes')
    .select('project_id')
    .where(acrossProjects(ctx))
    .where('hash', '=', hashSecret(code))
    .executeTakeFirst();
  if (!row || (await isClosed(ctx.system, { ...ctx.scope, projectId: row.project_id }))) throw problem('INVALID_TOKEN');
  return row.project_id;
}

import { sql } from 'kysely';
import { grantedApis } from '#apis';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { ApplicationId } from '#platform/ids.ts';
import { inScope } from '#platform/scoped.ts';
import { TOKEN_EXCHANGE } from './grants.ts';
import { isFirstParty } from './parties.ts';

/** An application with which a person can be impersonated, and the identifiers of the APIs for which it gets tokens. */
type Exchanging = { id: ApplicationId; clientId: string; name: string; apis: string[] };

/** The applications of a project that may exchange a token for one of an API, by name. */
export async function exchangingApplications(ctx: Ctx | TxCtx): Promise<Exchanging[]> {
  const rows = await ctx.db
    .selectFrom('applications')
    .selectAll()
    .where(inScope(ctx))
    .where('enabled', '=', true)
    .where(sql<boolean>`${TOKEN_EXCHANGE} = any(grants)`)
    .orderBy('name')
    .orderBy('id')
    .execute();
  const able = await Promise.all(
    rows
      .filter((row) =>
        isFirstParty({ firstParty: row.first_party, selfRegistered: row.registration_token_id !== null }),
      )
      .map(async ({ id, client_id: clientId, name, apis }) => {
        const granted = await grantedApis(ctx.system, { ...ctx.scope, apis });
        return { id, clientId, name, apis: granted.map(({ identifier }) => identifier) };
      }),
  );
  return able.filter(({ apis }) => apis.length > 0);
}

import { sql } from 'kysely';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { inScope } from '#platform/scoped.ts';
import { type Preset, type ProviderOptions, presets } from './presets.ts';

/**
 * The issuer recorded for accounts of a provider that has none: that of the preset, or the origin of the profile
 * endpoint if that is configured. So no configuration can impersonate accounts of another provider (AU-8).
 */
export function issuerOfProfiles(
  preset: Preset & { protocol: 'oauth2' },
  { userinfoEndpoint }: ProviderOptions,
): string {
  return userinfoEndpoint === undefined ? preset.issuer : new URL(userinfoEndpoint).origin;
}

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ENTRA = /^https:\/\/login\.microsoftonline\.com\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/v2\.0$/;

/**
 * The issuer of all accounts of a provider.
 * @returns null if only a sign-in can tell: each directory of Entra ID has its own, named by the id of the directory
 */
function issuerOf(preset: Preset, options: ProviderOptions): string | null {
  if (preset.protocol === 'oauth2') return issuerOfProfiles(preset, options);
  const issuer = options.issuer ?? preset.issuer ?? '';
  if (options.issuer !== undefined || !issuer.includes('{tenant}'))
    return issuer.replace(/\/\.well-known\/openid-configuration\/?$/, '');
  const { tenant = 'common' } = options;
  return GUID.test(tenant) ? issuer.replace('{tenant}', tenant.toLowerCase()) : null;
}

/** What a row says about the issuer of an account: fitting, unfitting, or missing where it is needed. */
type NamedIssuer = { issuer: string } | { fault: 'foreign' | 'missing' };

/** Decides which issuer an account has that somebody names by its provider, and perhaps by its issuer. */
export type IssuerOfAccount = (named: string | undefined) => NamedIssuer;

function deciding(issuer: string | null): IssuerOfAccount {
  if (issuer !== null) return (named) => (named === undefined || isSame(named, issuer) ? { issuer } : FOREIGN);
  return (named) => {
    if (named === undefined) return { fault: 'missing' };
    return ENTRA.test(named) ? { issuer: named } : FOREIGN;
  };
}

const FOREIGN = { fault: 'foreign' } as const;

function isSame(named: string, issuer: string): boolean {
  return URL.canParse(named) && new URL(named).href === new URL(issuer).href;
}

/**
 * The providers of the project, enabled or not: how each decides on the issuer of its accounts. Served by
 * identity_providers_key.
 * @param keys absent: all of them
 */
export async function issuersOfProviders(
  ctx: Pick<Ctx, 'scope' | 'db'> | Pick<TxCtx, 'scope' | 'db'>,
  keys?: readonly string[],
): Promise<Map<string, IssuerOfAccount>> {
  const rows = await ctx.db
    .selectFrom('identity_providers')
    .select(['key', 'preset', 'options'])
    .where(inScope(ctx))
    .$if(keys !== undefined, (query) => query.where('key', '=', sql<string>`any(${[...(keys ?? [])]})`))
    .execute();
  return new Map(rows.map(({ key, preset, options }) => [key, deciding(issuerOf(presets[preset], options))]));
}

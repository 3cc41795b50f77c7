import { type Static, Type } from 'typebox';
import type { Scope, TxCtx } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import type { SystemInTx } from '#platform/system.ts';
import { type ApiId, type KnownApi, knownApis, readApis, type ScopeId } from './known-apis.ts';

const Names = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100, uniqueItems: true });

/** The access of an application to an API. */
export const ApiGrant = Type.Object(
  {
    identifier: Type.String(),
    scopes: Type.Array(Type.String(), { description: 'The scopes that it may get for people.' }),
    machineScopes: Type.Array(Type.String(), {
      description: 'The scopes that it gets for itself (`client_credentials`).',
    }),
  },
  { title: 'ApiGrant' },
);
type ApiGrant = Static<typeof ApiGrant>;

const NewApiGrant = Type.Object(
  {
    identifier: Type.String({ maxLength: 2_000, examples: ['https://api.example.com/orders'] }),
    scopes: Type.Optional({
      ...Names,
      description: 'The scopes that it may get for people; not for the kind `management`.',
    }),
    machineScopes: Type.Optional({
      ...Names,
      description: 'The scopes that it gets for itself (`client_credentials`); only for the kind `management`.',
    }),
  },
  { title: 'NewApiGrant', additionalProperties: false },
);
type NewApiGrant = Static<typeof NewApiGrant>;

export const NewApiGrants = Type.Array(NewApiGrant, {
  maxItems: 100,
  description: 'The APIs it may get access tokens for (RFC 8707), with the scopes of each.',
});

/** A grant in the row of an application. An API or a scope that was removed since has no effect. */
export type StoredGrant = { apiId: ApiId; scopes: ScopeId[]; machineScopes: ScopeId[] };

/** The grants as the admin API shows them. */
export function shownGrants(stored: readonly StoredGrant[], apis: readonly KnownApi[]): ApiGrant[] {
  return resolved(stored, apis).map(({ identifier, scopes, machineScopes }) => ({
    identifier,
    scopes: scopes.map(({ name }) => name),
    machineScopes: machineScopes.map(({ name }) => name),
  }));
}

/** An API with the scopes that an application was granted. */
type GrantedApi = KnownApi & { machineScopes: KnownApi['scopes'] };

function resolved(stored: readonly StoredGrant[], apis: readonly KnownApi[]): GrantedApi[] {
  return stored.flatMap((grant) => {
    const api = apis.find(({ id }) => id === grant.apiId);
    if (!api) return [];
    const scopes = api.scopes.filter(({ id }) => grant.scopes.includes(id));
    return [{ ...api, scopes, machineScopes: api.scopes.filter(({ id }) => grant.machineScopes.includes(id)) }];
  });
}

/** The APIs that an application was granted. Reads only memory while the change feed is live. */
export async function grantedApis(
  system: SystemInTx,
  { apis, ...scope }: Scope & { apis: readonly StoredGrant[] },
): Promise<GrantedApi[]> {
  return apis.length === 0 ? [] : resolved(apis, await knownApis(system, scope));
}

type Fault = { pointer: string; message: string };

/**
 * The requested grants, for the row of an application.
 * @throws Problem VALIDATION_FAILED
 */
export async function storedGrants(
  tx: TxCtx,
  { machine }: { machine: boolean },
  grants: readonly NewApiGrant[],
): Promise<StoredGrant[]> {
  if (grants.length === 0) return [];
  const apis = await readApis(tx);
  const faults: Fault[] = [];
  const stored = grants.flatMap(({ identifier, scopes = [], machineScopes = [] }, index) => {
    const pointer = `/body/apis/${index}`;
    const api = apis.find((known) => known.identifier === identifier);
    const first = grants.findIndex((other) => other.identifier === identifier) === index;
    if (!api || !first) {
      const message = api ? `"${identifier}" is given twice` : `"${identifier}" is not an API of this project`;
      faults.push({ pointer: `${pointer}/identifier`, message });
      return [];
    }
    if (machine && scopes.length > 0)
      faults.push({ pointer: `${pointer}/scopes`, message: 'are not for the kind "management"' });
    if (!machine && machineScopes.length > 0)
      faults.push({ pointer: `${pointer}/machineScopes`, message: 'are for the kind "management" only' });
    const idsOf = (names: readonly string[], at: string) => idsOfScopes(api, names, { faults, pointer: at });
    return [
      {
        apiId: api.id,
        scopes: idsOf(scopes, `${pointer}/scopes`),
        machineScopes: idsOf(machineScopes, `${pointer}/machineScopes`),
      },
    ];
  });
  if (faults.length > 0) throw problem('VALIDATION_FAILED', { extensions: { errors: faults } });
  return stored;
}

function idsOfScopes(
  { scopes, identifier }: KnownApi,
  names: readonly string[],
  { faults, pointer }: { faults: Fault[]; pointer: string },
): ScopeId[] {
  return names.flatMap((name, index) => {
    const known = scopes.find((scope) => scope.name === name);
    if (known) return [known.id];
    faults.push({ pointer: `${pointer}/${index}`, message: `"${name}" is not a scope of ${identifier}` });
    return [];
  });
}

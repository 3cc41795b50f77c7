import { sql } from 'kysely';
import Provider, { type Interaction, type KoaContextWithOIDC } from 'oidc-provider';
import { Value } from 'typebox/value';
import type { Scope, TxCtx } from '#platform/ctx.ts';
import { IdSchema, type WorkspaceId } from '#platform/ids.ts';
import { perSystem, type System } from '#platform/system.ts';
import { workspaceByRoutingKey } from '#tenancy';

/**
 * The workspace of a record; empty for a record whose id names none: it was made by an earlier version, or before a client
 * was known.
 */
export type Place = WorkspaceId | '';

/** What the library's types leave out. */
type MakesIds = { generateTokenId: () => string };
declare module 'oidc-provider' {
  interface AccessToken extends MakesIds {}
  interface AuthorizationCode extends MakesIds {}
  interface DeviceCode extends MakesIds {}
  interface Grant extends MakesIds {}
  interface PushedAuthorizationRequest extends MakesIds {}
  interface RefreshToken extends MakesIds {}
}

/**
 * Ids that the provider makes, and secrets in general, contain the routing key of their workspace. Those made for an
 * account page contain the id of the workspace, without its prefix.
 */
const ROUTED = /^lk[a-z]_([a-z0-9]{8}|[a-z0-9]{26})_/;
/** A client id begins with the routing key; that of an account page names the workspace. */
const OF_CLIENT = /^(?:([a-z0-9]{8})|account\.wrk_([a-z0-9]{26}))\./;
/** The paths of sign-in pages take no longer id. After the id of a workspace, 198 random bits are left. */
const MAX_LENGTH = 64;

const WorkspaceRef = IdSchema('wrk');

/** The workspace of the record with an id. The same id always has the same place. */
export async function placeOf(system: System, id: string): Promise<Place> {
  const key = ROUTED.exec(id)?.[1];
  if (key === undefined) return '';
  const workspaceId = `wrk_${key}`;
  return Value.Check(WorkspaceRef, workspaceId) ? workspaceId : ((await workspaceByRoutingKey(system, key)) ?? '');
}

/** The place of a record that belongs to the scope's workspace. */
export function placeIn({ workspaceId }: Pick<Scope, 'workspaceId'>, id: string): Place {
  return ROUTED.test(id) ? workspaceId : '';
}

/** The id, or secret, in the workspace of another id. */
export function routedLike(other: string, id: string): string {
  const [, key = OF_CLIENT.exec(other)?.slice(1).find(Boolean)] = ROUTED.exec(other) ?? [];
  return key === undefined || ROUTED.test(id) ? id : `lkx_${key}_${id}`.slice(0, MAX_LENGTH);
}

/**
 * Whether there may be records of sessions without a workspace. Earlier versions write them. Once these cannot run any
 * more (see `platform/division.ts`), such records only become fewer.
 */
const earlierRecords = perSystem((system) => {
  const state = { may: true };
  sql<{ may: boolean }>`select to_regclass('oidc_records_once') is not null
      or exists (select from oidc_records where workspace_id = '' and session_id is not null) as may`
    .execute(system.lookups)
    .then(({ rows }) => {
      state.may = rows[0]?.may ?? true;
    })
    .catch((error: unknown) => system.log.warn({ err: error }, 'records of earlier versions not looked for'));
  return state;
});

/** The places of the records of a workspace's sessions. */
export function placesOf({ scope, system }: Pick<TxCtx, 'scope' | 'system'>): Place[] {
  return earlierRecords(system).may ? [scope.workspaceId, ''] : [scope.workspaceId];
}

/** What tells the workspace of the current request of a provider: its client, its sign-in in progress, or its address. */
type Context = Pick<KoaContextWithOIDC, 'query' | 'path'> & Partial<Pick<KoaContextWithOIDC, 'oidc'>>;

function known(ctx: Context | undefined): string {
  const asked = ctx?.query['client_id'];
  const [, uid] = /^\/connect\/(?:authorize|device)\/([A-Za-z0-9_-]+)/.exec(ctx?.path ?? '') ?? [];
  return (
    ctx?.oidc?.client?.clientId ??
    ctx?.oidc?.entities.Interaction?.jti ??
    uid ??
    (typeof asked === 'string' ? asked : '')
  );
}

/** An id of a record of the current request, with the routing key of its workspace. */
export function routedHere(id: string): string {
  return routedLike(known(Provider.ctx), id);
}

/** Makes the ids of a provider's records contain the routing key of the workspace, so that they are found without asking for it. */
export function routeIds(provider: Provider): void {
  const models = [
    provider.AccessToken,
    provider.AuthorizationCode,
    provider.DeviceCode,
    provider.Grant,
    provider.PushedAuthorizationRequest,
    provider.RefreshToken,
  ];
  for (const { prototype } of models) {
    const make = prototype.generateTokenId;
    prototype.generateTokenId = function routed() {
      const client = 'clientId' in this && typeof this.clientId === 'string' ? this.clientId : known(Provider.ctx);
      return routedLike(client, make.call(this));
    };
  }
  routeInteractions(provider);
  routeSessions(provider);
}

/** The library makes the id of a sign-in itself, and uses it in addresses and cookies (see `bindCookies`). */
function routeInteractions(provider: Provider): void {
  const own = new Proxy(provider.Interaction, {
    construct: (model, [id, payload], made): Interaction =>
      Reflect.construct(model, [typeof id === 'string' ? routedHere(id) : id, payload], made),
  });
  Object.defineProperty(provider, 'Interaction', { value: own });
  const pathFor = provider.pathFor.bind(provider);
  provider.pathFor = (name, options) =>
    pathFor(
      name,
      options && typeof options['uid'] === 'string' ? { ...options, uid: routedHere(options['uid']) } : options,
    );
}

/** The session of a browser is in the workspace in which the person signs in; before that, in that of the application. */
function routeSessions({ Session }: Provider): void {
  const { get } = Session;
  const { loginAccount, resetIdentifier } = Session.prototype;
  Session.get = async (ctx) => {
    const session = await get.call(Session, ctx);
    if (session.exp === undefined) {
      const here = known(ctx);
      Object.assign(session, { jti: routedLike(here, session.jti), uid: routedLike(here, session.uid) });
    }
    return session;
  };
  Session.prototype.loginAccount = function routed(details) {
    const bare = this.uid.replace(ROUTED, '');
    this.uid = routedHere(bare);
    return loginAccount.call(this, details);
  };
  Session.prototype.resetIdentifier = function routed() {
    resetIdentifier.call(this);
    this.jti = routedLike(this.uid, this.jti);
  };
}

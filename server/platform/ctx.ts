import type { Kysely } from 'kysely';
import type { ReadDb, Tables } from './db.ts';
import { inTransaction } from './held-connections.ts';
import type { ApplicationId, ProjectId, ScopeEntryId, SessionId, UserId, WorkspaceId } from './ids.ts';
import { connectionsOf, type System, type SystemInTx, withoutConnections } from './system.ts';
import type { Unit } from './unit.ts';

export type Environment = 'test' | 'production';
export const environments: readonly Environment[] = ['test', 'production'];

/** People and their data are separate per workspace and environment. */
type Realm = { workspaceId: WorkspaceId; environment: Environment };

/** One project in one environment: what every domain function on tenant data works in. */
export type Scope = Realm & { projectId: ProjectId };

/** Where something is done that is about no project of the workspace, or about none that is known yet. */
export const NO_PROJECT: ProjectId = 'prj_';

/** Where something is done for the whole installation. */
export function nowhere(environment: Environment): Scope {
  return { workspaceId: 'wrk_', projectId: NO_PROJECT, environment };
}

/** The grant of the OpenID provider, and its application, that something was obtained through; it ends with them. */
export type Descent = { applicationId: ApplicationId; grantId: string };

/** `descent`: of an access token of the OpenID provider; a session knows its own. */
export type CustomerActor = {
  kind: 'customer';
  userId: UserId;
  sessionId: SessionId;
  entryId: ScopeEntryId;
  descent?: Descent;
};
type ManagementActor = { kind: 'management'; applicationId: ApplicationId; permissions: readonly string[] };

/** Somebody of a workspace's team, at the console. */
export type OperatorActor = { kind: 'operator'; userId: UserId; permissions: readonly string[] };

/** Who does it: written on every event. */
export type Actor =
  | { kind: 'anonymous' }
  | CustomerActor
  | ManagementActor
  | OperatorActor
  | { kind: 'system'; name: string };

/** Where a request came from and how to find it again in logs. */
export type Trace = {
  correlationId: string;
  traceId: string;
  ip: string | null;
  userAgent: string | null;
  /** The `Accept-Language` header. */
  languages: string | null;
};

/** What a domain function needs, made once at the edge. */
export type Ctx = {
  system: System;
  db: ReadDb;
  scope: Scope;
  actor: Actor;
  trace: Trace;
  now: Date;
  /** Set where the whole request is one transaction; `db` then reads in it. */
  unit?: Unit;
  /** The auth address the request came to; absent for requests to other hosts and for work without one. */
  authAddress?: string;
  /** An application asked that this sign-in reaches two factors (`acr_values`), whatever its project asks. */
  wantsSecondFactor?: true;
  /** Tells the types apart: what needs a connection of its own (limits, hashing) takes a `Ctx`, never a {@link TxCtx}. */
  afterCommit?: undefined;
};

/** A context inside a transaction: writes and events need one. It reaches no second connection. */
export type TxCtx = Omit<Ctx, 'db' | 'unit' | 'system' | 'afterCommit'> & {
  system: SystemInTx;
  db: Kysely<Tables>;
  /** Runs after the commit; never when the transaction rolls back. */
  afterCommit: (work: () => void) => void;
};

/**
 * Runs `work` in one transaction, joining the caller's if it is in one already.
 * @returns what `work` returns, once the transaction is committed
 */
export async function transaction<T>(ctx: Ctx | TxCtx, work: (tx: TxCtx) => Promise<T>): Promise<T> {
  if (ctx.afterCommit) return work(ctx);
  const { unit, ...outside } = ctx;
  const rest = { ...outside, system: withoutConnections(ctx.system) };
  if (unit) return unit.part((db, afterCommit) => work({ ...rest, db, afterCommit }));
  const committed: (() => void)[] = [];
  const result = await connectionsOf(ctx.system)
    .db.transaction()
    .execute((db) => inTransaction(() => work({ ...rest, db, afterCommit: (callback) => committed.push(callback) })));
  for (const callback of committed) callback();
  return result;
}

/** A context for work the system does by itself, such as a task or the first start. */
export function systemCtx(system: System, scope: Scope, name: string, correlationId: string): Ctx {
  return {
    system,
    db: system.db,
    scope,
    actor: { kind: 'system', name },
    trace: { correlationId, traceId: correlationId, ip: null, userAgent: null, languages: null },
    now: system.clock.now(),
  };
}

/** The signed-in customer of a request whose route requires one. */
export function customerOf(ctx: Pick<Ctx, 'actor'>): CustomerActor {
  if (ctx.actor.kind !== 'customer') throw new Error('This route must declare the permission "customer".');
  return ctx.actor;
}

/** The operator of a request to the console. */
export function operatorOf(ctx: Pick<Ctx, 'actor'>): OperatorActor {
  if (ctx.actor.kind !== 'operator') throw new Error('This route belongs to the console.');
  return ctx.actor;
}

import type { Kysely } from 'kysely';
import type pg from 'pg';
import { openDbOver, type ReadDb, type Tables } from './db.ts';
import { inTransaction } from './held-connections.ts';
import type {
  ApplicationId,
  OrganizationId,
  ProjectId,
  ScopeEntryId,
  SessionId,
  SetupLinkId,
  UserId,
  WorkspaceId,
} from './ids.ts';
import { AsksOutside } from './outside.ts';
import { connectionsOf, type System, type SystemInTx, withoutConnections } from './system.ts';
import { placeNow } from './trace.ts';
import type { Unit } from './unit.ts';

export type Environment = 'test' | 'production';
export const environments: readonly Environment[] = ['test', 'production'];

/** Users and their data are separate for each workspace and environment. */
type Realm = { workspaceId: WorkspaceId; environment: Environment };

/** One project in one environment. Domain functions on tenant data act in a scope. */
export type Scope = Realm & { projectId: ProjectId };

/** The project id of actions that concern no project of the workspace, or none that is known yet. */
export const NO_PROJECT: ProjectId = 'prj_';

/** The scope of actions on the whole installation. */
export function installationScope(environment: Environment): Scope {
  return { workspaceId: 'wrk_', projectId: NO_PROJECT, environment };
}

/** The OpenID Connect grant and application that a session or token was obtained through. It ends with them. */
export type Descent = { applicationId: ApplicationId; grantId: string };

/** `descent` is set for access tokens of the OpenID provider only; a session stores its own. */
export type CustomerActor = {
  kind: 'customer';
  userId: UserId;
  sessionId: SessionId;
  entryId: ScopeEntryId;
  /** The organization that the session is in. It grants nothing in the project. */
  organizationId?: OrganizationId;
  descent?: Descent;
};
type ManagementActor = { kind: 'management'; applicationId: ApplicationId; permissions: readonly string[] };

/** A member of a workspace's team, in the console. */
export type OperatorActor = {
  kind: 'operator';
  userId: UserId;
  /** The session in the built-in workspace. */
  sessionId: SessionId;
  permissions: readonly string[];
};

/** An actor who acts for themselves. */
export type ResponsibleActor =
  | { kind: 'anonymous' }
  | CustomerActor
  | ManagementActor
  | OperatorActor
  | { kind: 'system'; name: string };

/** A person, perhaps without an account, who opened a set-up link. They may do at most what the link's maker may do. */
type SetupLinkActor = { kind: 'setup_link'; setupLinkId: SetupLinkId; maker: ResponsibleActor };

/** Who acts. Every event records the actor. */
export type Actor = ResponsibleActor | SetupLinkActor;

/** The actor whose permissions count. */
export function responsibleFor(actor: Actor): ResponsibleActor {
  return actor.kind === 'setup_link' ? actor.maker : actor;
}

/** Where a request came from, and the ids that find it in logs. */
export type Trace = {
  correlationId: string;
  traceId: string;
  ip: string | null;
  userAgent: string | null;
  /** The country that a trusted proxy names for `ip`; ask `countryOf` for the one that is known. */
  country: string | null;
  /** The `Accept-Language` header. */
  languages: string | null;
};

/** The context of a domain function. It is built once, at the edge. */
export type Ctx = {
  system: System;
  db: ReadDb;
  scope: Scope;
  actor: Actor;
  trace: Trace;
  now: Date;
  /** Set when the whole request is one transaction; `db` then reads in it. */
  unit?: Unit;
  /** The auth address that the request was sent to; absent on other hosts and outside of requests. */
  authAddress?: string;
  /** The application requested two factors for this sign-in (`acr_values`), whatever the project requires. */
  wantsSecondFactor?: true;
  /** The application that a person signs in to, where the request names one of this project. */
  applicationId?: ApplicationId;
  /** The application of this sign-in wants the person's default organization (`usesDefaultOrganization`). */
  wantsDefaultOrganization?: true;
  /**
   * Distinguishes the types: limits and hashing need a connection of their own, so they take a `Ctx` and never a
   * {@link TxCtx}.
   */
  afterCommit?: undefined;
};

/** A context inside a transaction. Writes and events need one. It gives no access to a second connection. */
export type TxCtx = Omit<Ctx, 'db' | 'unit' | 'system' | 'afterCommit'> & {
  system: SystemInTx;
  db: Kysely<Tables>;
  /** Registers work to run after the commit; the work is dropped if the transaction rolls back. */
  afterCommit: (work: () => void) => void;
};

/** How often the work of one transaction may ask outside. */
const MAX_ASKED = 20;

/**
 * Runs `work` in one transaction. Joins the caller's transaction if there is one. Work that throws {@link AsksOutside} is
 * rolled back and runs again with the answer (docs/decisions/0245), so it has no effects outside of the transaction but
 * those of `afterCommit`.
 * @returns the result of `work`, after the commit
 */
export async function transaction<T>(ctx: Ctx | TxCtx, work: (tx: TxCtx) => Promise<T>): Promise<T> {
  if (ctx.afterCommit) return work(ctx);
  for (let asked = 0; ; asked += 1) {
    try {
      // biome-ignore lint/performance/noAwaitInLoops: the same work again
      return await once(ctx, work);
    } catch (error) {
      if (!(error instanceof AsksOutside) || ctx.unit?.isInside || asked === MAX_ASKED) throw error;
      await error.ask(await holdingNothing(ctx));
    }
  }
}

async function once<T>(ctx: Ctx, work: (tx: TxCtx) => Promise<T>): Promise<T> {
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

/** The context for a call to another system, which may be slow: it holds no connection, and joins no unit. */
export async function holdingNothing({ unit, ...outside }: Ctx): Promise<Ctx> {
  await unit?.pause();
  return { ...outside, db: outside.system.db };
}

/**
 * A context for work in the transaction of a connection whose owner begins and ends it.
 * @returns the context, and what to call after the commit
 */
export function contextOver(ctx: Ctx, client: pg.Client): { tx: TxCtx; committed: () => void } {
  const { unit: _none, ...outside } = ctx;
  const callbacks: (() => void)[] = [];
  const afterCommit = (callback: () => void) => callbacks.push(callback);
  return {
    tx: { ...outside, system: withoutConnections(ctx.system), db: openDbOver(client), afterCommit },
    committed: () => {
      for (const callback of callbacks) callback();
    },
  };
}

/** A context for work of the system itself, such as a task or the first start. */
export function systemCtx(system: System, scope: Scope, name: string, correlationId: string): Ctx {
  return {
    system,
    db: system.db,
    scope,
    actor: { kind: 'system', name },
    trace: {
      correlationId,
      traceId: placeNow()?.traceId ?? correlationId,
      ip: null,
      userAgent: null,
      country: null,
      languages: null,
    },
    now: system.clock.now(),
  };
}

/** The signed-in customer of a request; for routes that require one. */
export function customerOf(ctx: Pick<Ctx, 'actor'>): CustomerActor {
  if (ctx.actor.kind !== 'customer') throw new Error('This route must declare the permission "customer".');
  return ctx.actor;
}

/** A person who signs in is the actor of it, and of what follows from it: they have just proven who they are. */
export function asCustomer(
  tx: TxCtx,
  { userId, sessionId, entryId }: Pick<CustomerActor, 'userId' | 'sessionId' | 'entryId'>,
): TxCtx {
  return tx.actor.kind === 'anonymous' ? { ...tx, actor: { kind: 'customer', userId, sessionId, entryId } } : tx;
}

/** The operator of a console request. */
export function operatorOf(ctx: Pick<Ctx, 'actor'>): OperatorActor {
  if (ctx.actor.kind !== 'operator') throw new Error('This route belongs to the console.');
  return ctx.actor;
}

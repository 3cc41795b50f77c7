import type { Task } from 'graphile-worker';
import { type RawBuilder, sql } from 'kysely';
import type { Carriage } from './carriage.ts';
import type { Actor, Ctx, Descent, TxCtx } from './ctx.ts';
import type { Tables } from './db.ts';
import type { EventDefinition } from './event.ts';
import type { ApplicationId, MemberId, OrganizationId, ProjectId, SessionId, UserId, WorkspaceId } from './ids.ts';
import type { Jobs } from './jobs.ts';
import type { Metric } from './metrics.ts';
import type { Removal } from './removal.ts';
import type { Works } from './repeating.ts';
import type { Routes } from './route.ts';
import type { SealedPlace } from './sealed.ts';
import { singleWrite } from './single-writes.ts';
import type { InOrganization, Organizations, ShownProof, Standing } from './standing.ts';
import type { System } from './system.ts';

/** Where routes are served. */
export type Surface =
  | 'auth'
  /** The API host, for signed-in customers. */
  | 'me'
  /** The API host for back ends, and the console for operators. */
  | 'admin'
  /** The API host, for the directories of organizations. */
  | 'scim'
  /** The auth and the API host. */
  | 'public'
  /** The API host of production, because carriers and the payment provider know only one environment. */
  | 'callbacks'
  | 'console'
  /** The console, in development mode. */
  | 'consoleDevelopment'
  /** The console host, also without the console. */
  | 'start'
  /** The console host in development mode, also without the console. */
  | 'development'
  | 'status'
  /** The domains of status pages of projects, which serve nothing else. */
  | 'statusDomain';

/** A user whose proofs end, or whose account is erased. */
type OfUser = (tx: TxCtx, userId: UserId) => Promise<unknown>;

/** For a part that derives something from sessions, or ends some of them. */
type SessionSteps = {
  /** Called when sessions end, in every project or in one. */
  ended?: (tx: TxCtx, ended: EndedSessions) => Promise<void>;
  /** Called when all sessions of a user end, also if the user has none; for what belongs to sessions of other users. */
  userEnded?: (tx: TxCtx, ended: EndedUser) => Promise<unknown>;
  /** Called when people leave an organization, or their tokens there are replaced. */
  inOrganization?: (tx: TxCtx, which: OrganizationSessions) => Promise<void>;
  /**
   * Called before an entry of a session is obtained through a grant; for the part that owns grants. Throws for a grant
   * that has ended, and locks a live one until the transaction ends, so that ending the grant also ends what was
   * obtained through it.
   */
  obtaining?: (tx: TxCtx, obtaining: Obtaining) => Promise<void>;
};

export type EndedSessions = { sessionIds: readonly SessionId[]; in: ProjectId | 'every project' };
/** A user whose sessions all end, except perhaps the one that asks for it. */
export type EndedUser = { userId: UserId; in: ProjectId | 'every project'; reason: string };
/** The sessions in an organization, of one person or of everybody: they end, or renew their access tokens. */
export type OrganizationSessions = {
  organizationId: OrganizationId;
  userId?: UserId | undefined;
  action: 'end' | 'renew';
  reason: string;
};
export type Obtaining = Descent & { sessionId: SessionId };

/** For a part that keeps data of users by their id. */
type ErasureSteps = {
  /**
   * Called when a user requests erasure.
   * @throws Problem if they can't be erased yet
   */
  requested: OfUser;
  /** Called when the user is erased, in the same transaction, before their data is gone. */
  erased: OfUser;
};

/**
 * The actors whose permissions changed: a person or operator, a management client, or all members of the scope's
 * project.
 */
export type PermissionsChanged = { userId: UserId } | { applicationId: ApplicationId; clientId: string } | 'members';

/** A member of the scope's project who enters it. */
export type EnteringMember = { memberId: MemberId; userId: UserId };

/** A member of the scope's project. */
export type LeavingMember = { memberId: MemberId; userId: UserId };

/** An account that passes to the person who proved its `address`; `since`: when that was added to the account. */
export type Reclaimed = { userId: UserId; since: Date; address: string };

type Reader<Kind extends Actor['kind']> = (
  tx: TxCtx,
  actor: Extract<Actor, { kind: Kind }>,
) => Promise<readonly string[]>;

/** What a part contributes to the program. `hosts/parts.ts` lists the parts. */
export type Part = {
  routes?: { readonly [Where in Surface]?: Routes };
  events?: Readonly<Record<string, EventDefinition>>;
  /** Permissions that routes require, with what they allow; every project has them. Viewers have those named `…:read`. */
  permissions?: Readonly<Record<`${string}:${string}`, string>>;
  /** Where the values are that the part seals, by their purpose, so that another data key can seal them again. */
  sealed?: Readonly<Record<string, SealedPlace>>;
  /** Removes the part's rows of a project or workspace. The order matters where rows refer to each other. */
  removals?: readonly Removal[];
  /** What happens to the part's tables without `workspace_id`, and to tables that stay, when a workspace is carried away. */
  carriage?: Carriage;
  /** Tables that an import fills. The planner's statistics are updated during the import. */
  imported?: readonly (keyof Tables)[];
  /** Finds the workspace of a routing key, from memory if it is known; for the part that owns workspaces. */
  workspaceOf?: (system: System, routingKey: string) => Promise<WorkspaceId | undefined>;
  /** Ends the open proofs of a user, such as links, codes and challenges, in the transaction that changes their credentials. */
  endProofs?: OfUser;
  /** Removes the credentials and identifiers that were added to a user since then, except the address. */
  reclaim?: (tx: TxCtx, reclaimed: Reclaimed) => Promise<void>;
  /** Run in the transaction that ends sessions. */
  sessions?: SessionSteps;
  /** Reads a person's roles and permissions in an organization; see platform/standing.ts. */
  standing?: (ctx: Ctx | TxCtx, who: InOrganization) => Promise<Standing | undefined>;
  /** Checks that the session of the signed-in person may enter an organization; see platform/standing.ts. */
  requireEntering?: (ctx: Ctx, organizationId: OrganizationId) => Promise<void>;
  /** Whether a proof counts for a change of the account; see platform/standing.ts. */
  proofCounts?: (ctx: Ctx | TxCtx, proof: ShownProof) => Promise<boolean>;
  /** Reads memberships and roles in organizations of many people at once; see platform/standing.ts. */
  organizations?: Organizations;
  /**
   * The columns with keys of roles in organizations, as arrays or JSON, and what their rows are in the plural. A role that
   * one of them has is not deleted, because a later role with the same key would be given in its place.
   */
  organizationRoles?: { readonly [Table in keyof Tables]?: { rows: string; columns: readonly string[] } };
  /**
   * `enter` runs in the transaction in which a member enters the scope's project with a session, if `concerns`, a
   * condition in SQL, holds for the project.
   */
  entering?: {
    concerns: (ctx: Pick<Ctx, 'scope'>) => RawBuilder<boolean>;
    enter: (tx: TxCtx, member: EnteringMember) => Promise<void>;
  };
  /** Run in the transaction in which a member leaves the scope's project or is removed from it, while they are in it. */
  leaving?: (tx: TxCtx, member: LeavingMember) => Promise<void>;
  /** Run in the transaction that deletes an organization, while it is there and locked. */
  organizationDeleted?: (tx: TxCtx, organizationId: OrganizationId) => Promise<void>;
  /** Run in the transaction that schedules or does the erasure of a user. */
  erasure?: ErasureSteps;
  /** Reads the current permissions in the scope's project of an actor who requested something earlier. */
  permissionsNow?: { management?: Reader<'management'>; operator?: Reader<'operator'> };
  /** Run in the transaction of a change of permissions, after it: ends what was allowed only by them. */
  permissionsChanged?: (tx: TxCtx, changed: PermissionsChanged, reason: string) => Promise<void>;
  /** Who holds permissions of the project apart from its roles. Both run in the transaction that removes a permission. */
  permissionHolders?: {
    /** Locks those who hold it, before it is removed. Returns how many there are. */
    lock: (tx: TxCtx, key: string) => Promise<number>;
    /** Takes it from all who hold it, after it was removed. */
    take: (tx: TxCtx, key: string) => Promise<void>;
  };
  /** Run every ten minutes in a worker; the name appears in the log. */
  cleanUps?: Works;
  /** Run every 30 seconds in a worker: recovery of what a killed process left behind, and work that falls due. */
  sweeps?: Works;
  /** The metrics of the part, made by `counter`, `durations` and `gauge` of `metrics.ts`. */
  metrics?: readonly Metric[];
  /** The handlers of jobs that need only the system. */
  tasks?: { readonly [Name in keyof Jobs]?: (system: System) => Task };
};

/** A clean-up that deletes the expired rows of a table, by `expires_at`. */
export function expiredRowsOf(table: keyof Tables): (system: System) => Promise<void> {
  return (system) => deleteOldRows(system, table, { column: 'expires_at', before: system.clock.now() });
}

/** Rows per statement, limited so that none holds its locks for long or runs into the time limit of statements. */
const PORTION = 5_000;

type Old = { column: string; before: Date | string };

/**
 * Deletes the rows of all workspaces whose time, day or id is before another, the oldest first. Served by the index on the
 * column. A portion is limited by the value of its last row instead of the rows themselves, because several servers
 * may have them (docs/scale.md).
 */
export async function deleteOldRows(system: System, table: keyof Tables, { column, before }: Old): Promise<void> {
  const name = sql.ref(column);
  for (;;) {
    // biome-ignore lint/performance/noAwaitInLoops: one portion after the other
    const { rows } = await sql<{ last: string; count: number }>`
      select max(${name})::text as last, count(*) as count from (
        select ${name} from ${sql.table(table)} where ${name} < ${before} order by ${name} limit ${PORTION}) as old
      /* all workspaces */`.execute(system.db);
    const [portion] = rows;
    if (!portion || portion.count === 0) return;
    await sql`delete from ${sql.table(table)} where ${name} <= ${portion.last} and ${name} < ${before} /* all workspaces */`.execute(
      singleWrite(system, 'clean-up'),
    );
    if (portion.count < PORTION) return;
  }
}

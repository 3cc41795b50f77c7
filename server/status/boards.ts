import { type Static, Type } from 'typebox';
import { findProject } from '#environments';
import { emit } from '#events';
import { type Ctx, type Environment, type Scope, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import { announce } from '#platform/feed.ts';
import { Email, normaliseEmail } from '#platform/identifiers.ts';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import { Branding } from '#settings';

export type Policy = 'off' | 'draft' | 'publish';
type StatusBoardsTable = {
  environment: Environment;
  overall: 'operational' | 'degraded';
  overall_since: Date;
  automatic: Policy;
  alert_emails: string[];
  measured_at: Date | null;
  /** Null in each of the four: that of the default project, or none. */
  name: string | null;
  logo_url: string | null;
  accent_color: string | null;
  support_url: string | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    status_boards: StatusBoardsTable;
  }
}

/** The change feed's topic for changes of the shown status; the key is the environment. */
export const STATUS_TOPIC = 'status';

const { logoUrl, accentColor } = Branding.properties;
const link = logoUrl.anyOf[0];

export const StatusSettings = Type.Object(
  {
    name: Type.Union([Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }), Type.Null()], {
      description: 'What the page is about. Null: the name of the default project.',
    }),
    logoUrl: Type.Union([link, Type.Null()], { description: 'Null: the logo of the default project.' }),
    accentColor: Type.Union([accentColor.anyOf[0], Type.Null()], {
      description: 'Null: the colour of the default project. A colour with too little contrast is adjusted.',
    }),
    supportUrl: Type.Union([link, Type.Null()], { description: 'Where visitors get help; linked on the page.' }),
    automatic: Type.Enum(['off', 'draft', 'publish'], {
      description: 'What happens when a measured component fails: nothing, a draft to publish, or a public incident.',
    }),
    alertEmails: Type.Array(Email, {
      maxItems: 20,
      description: 'The recipients of a message when the status changes from operational to degraded and back.',
    }),
  },
  { title: 'StatusSettings' },
);
type StatusSettings = Static<typeof StatusSettings>;
export const StatusSettingsChanges = Type.Partial(StatusSettings, { additionalProperties: false, minProperties: 1 });

/** The project that keeps an environment's status: its default project. Null while there is none. */
export async function keeperOf(system: System, environment: Environment): Promise<Scope | null> {
  const project = await findProject(system, { environment, default: true });
  return project ? { workspaceId: project.workspaceId, projectId: project.projectId, environment } : null;
}

/**
 * The status describes the whole installation, so only the project that keeps it may read its internals or change it.
 * @throws Problem NOT_FOUND for every other project
 */
export async function requireKeeper(ctx: Ctx): Promise<void> {
  const keeper = await keeperOf(ctx.system, ctx.scope.environment);
  if (keeper?.workspaceId !== ctx.scope.workspaceId || keeper.projectId !== ctx.scope.projectId)
    throw problem('NOT_FOUND', "The status belongs to the environment's default project.");
}

/** A context with the system as actor, in the project that keeps the status; null while there is none. */
export async function keeperCtx(system: System, environment: Environment, name: string): Promise<Ctx | null> {
  const scope = await keeperOf(system, environment);
  return scope && systemCtx(system, scope, name, crypto.randomUUID());
}

/**
 * Makes a public change: changes of one environment are serialized, and every process is notified.
 * @param work receives the current board
 */
export function changeBoard<T>(
  ctx: Ctx | TxCtx,
  work: (tx: TxCtx, board: StatusBoardsTable) => Promise<T>,
): Promise<T> {
  return transaction(ctx, async (tx) => {
    const board = await tx.db
      .selectFrom('status_boards')
      .selectAll()
      .where('environment', '=', tx.scope.environment)
      .forUpdate()
      .executeTakeFirstOrThrow();
    const result = await work(tx, board);
    await announce(tx, { topic: STATUS_TOPIC, key: tx.scope.environment });
    return result;
  });
}

/** Stores the current time as that of the latest measurement. */
export function noteMeasured(ctx: Ctx): Promise<void> {
  return transaction(ctx, async (tx) => {
    await tx.db
      .updateTable('status_boards')
      .set({ measured_at: tx.now })
      .where('environment', '=', tx.scope.environment)
      .execute();
  });
}

export async function getStatusSettings(ctx: Ctx): Promise<StatusSettings> {
  await requireKeeper(ctx);
  const row = await ctx.db
    .selectFrom('status_boards')
    .selectAll()
    .where('environment', '=', ctx.scope.environment)
    .executeTakeFirstOrThrow();
  return settingsOf(row);
}

function settingsOf(row: StatusBoardsTable): StatusSettings {
  return {
    name: row.name,
    logoUrl: row.logo_url,
    accentColor: row.accent_color,
    supportUrl: row.support_url,
    automatic: row.automatic,
    alertEmails: row.alert_emails,
  };
}

export async function updateStatusSettings(
  ctx: Ctx,
  changes: Static<typeof StatusSettingsChanges>,
): Promise<StatusSettings> {
  await requireKeeper(ctx);
  return changeBoard(ctx, async (tx) => {
    const row = await tx.db
      .updateTable('status_boards')
      .set({
        ...(changes.name !== undefined && { name: changes.name?.trim() ?? null }),
        ...(changes.logoUrl !== undefined && { logo_url: changes.logoUrl }),
        ...(changes.accentColor !== undefined && { accent_color: changes.accentColor }),
        ...(changes.supportUrl !== undefined && { support_url: changes.supportUrl }),
        ...(changes.automatic !== undefined && { automatic: changes.automatic }),
        ...(changes.alertEmails !== undefined && {
          alert_emails: [...new Set(changes.alertEmails.map(normaliseEmail))],
        }),
      })
      .where('environment', '=', tx.scope.environment)
      .returningAll()
      .executeTakeFirstOrThrow();
    await emit(tx, 'status.settings.updated', { changed: Object.keys(changes) });
    return settingsOf(row);
  });
}

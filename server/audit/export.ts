import { type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import type { Ctx } from '#platform/ctx.ts';
import type { Tables } from '#platform/db.ts';
import { instantOf } from '#platform/instants.ts';
import { Instant } from '#platform/schemas.ts';
import { inScope } from '#platform/scoped.ts';
import { genesisOf } from './chain.ts';
import { AuditScope } from './checkpoints.ts';
import { Ranges, recordedErasures } from './erasures.ts';
import { Evidence, evidenceOf } from './evidence.ts';
import { signAudit } from './signing.ts';

const PAGE = 1_000;

export const ExportFormat = Type.Enum(['json', 'csv'], { default: 'json' });
export type ExportFormat = Static<typeof ExportFormat>;

/** What the seal at the end of an export signs: the range and hashes of the exported stretch of the chain. */
export const SealClaims = Type.Object({
  kind: Type.Literal('export'),
  scope: AuditScope,
  since: Type.Union([Type.String(), Type.Null()]),
  until: Type.Union([Type.String(), Type.Null()]),
  /** Null if the range has no entry. */
  first: Type.Union([Type.Integer(), Type.Null()]),
  last: Type.Union([Type.Integer(), Type.Null()]),
  count: Type.Integer(),
  /** The hash of the chain before the first entry, and at the last. */
  previous: Type.String(),
  hash: Type.String(),
  at: Instant,
  /** The state of the whole log, and the erasures of this stretch; absent from exports of earlier versions. */
  log: Type.Optional(Evidence),
  erased: Type.Optional(Ranges),
});
export type SealClaims = Static<typeof SealClaims>;

/** An entry in an export. */
export type ExportLine = Pick<Selectable<Tables['audit_entries']>, 'sequence' | 'entry' | 'leaf' | 'hash'>;
type Stretch = { first: number; last: number } | null;
type Shape = { begin: string; line: (line: ExportLine, more: boolean) => string; end: (seal: string) => string };

/** The columns of a CSV export. `entry` is what was hashed; the columns before it repeat it for readers. */
const CSV_HEADER = 'sequence,occurredAt,action,actor,entry,leaf,hash,seal';

/** The formats: one line per entry, so that exports of any length can be streamed. */
export const shapes: Record<ExportFormat, Shape> = {
  json: {
    begin: '{"entries":[\n',
    line: ({ sequence, entry, leaf, hash }, more) => {
      const hashes = { leaf: leaf.toString('base64url'), hash: hash.toString('base64url') };
      return `${JSON.stringify({ sequence, ...hashes, entry })}${more ? ',' : ''}\n`;
    },
    end: (seal) => `],"seal":"${seal}"}\n`,
  },
  csv: {
    begin: `${CSV_HEADER}\r\n`,
    line: ({ sequence, entry, leaf, hash }) => {
      const told = entry
        ? [entry.occurredAt, entry.action, actorName(entry.actor), quoted(JSON.stringify(entry))]
        : ['', '', '', ''];
      return `${[sequence, ...told, leaf.toString('base64url'), hash.toString('base64url'), ''].join(',')}\r\n`;
    },
    end: (seal) => `seal,,,,,,,${seal}\r\n`,
  },
};

/** The actor in one word. */
function actorName(actor: Record<string, unknown> & { kind: string }): string {
  const { userId, applicationId, kind } = actor;
  return String(userId ?? applicationId ?? kind);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/**
 * Exports a stretch of the chain: every entry from the first at or after `since` to the last before `until`, and a
 * signed seal. Reads page by page, so memory use is constant.
 */
export function exportAudit(
  ctx: Ctx,
  { since, until, format }: { since?: string; until?: string; format: ExportFormat },
): AsyncIterable<string> {
  return written(ctx, { since: since ?? null, until: until ?? null }, shapes[format]);
}

type Range = { since: string | null; until: string | null };

async function* written(ctx: Ctx, range: Range, shape: Shape): AsyncGenerator<string> {
  const log = await evidenceOf(ctx);
  const stretch = await stretchOf(ctx, range);
  const previous = await hashBefore(ctx, stretch);
  let hash = previous;
  yield shape.begin;
  for (let next = stretch?.first ?? 0; stretch && next <= stretch.last; ) {
    // biome-ignore lint/performance/noAwaitInLoops: one page after the other
    const rows = await pageFrom(ctx, next, stretch.last);
    const end = rows.at(-1);
    // The entries were removed during the export. The seal will name entries that are missing here.
    if (!end) break;
    yield rows.map((row) => shape.line(row, row.sequence < stretch.last)).join('');
    next = end.sequence + 1;
    hash = end.hash;
  }
  const claims: SealClaims = {
    kind: 'export',
    scope: ctx.scope,
    ...range,
    first: stretch?.first ?? null,
    last: stretch?.last ?? null,
    count: stretch ? stretch.last - stretch.first + 1 : 0,
    previous: previous.toString('base64url'),
    hash: hash.toString('base64url'),
    at: ctx.now.toISOString(),
    log,
    erased: stretch ? await recordedErasures(ctx, stretch) : [],
  };
  yield shape.end(await signAudit(ctx.system, claims));
}

/** Served by audit_entries_by_time. */
async function stretchOf(ctx: Ctx, { since, until }: Range): Promise<Stretch> {
  const { first, last } = await ctx.db
    .selectFrom('audit_entries')
    .select([
      sql<
        number | null
      >`min(sequence) filter (where occurred_at >= ${since === null ? '-infinity' : instantOf(since)}::timestamptz)`.as(
        'first',
      ),
      sql<
        number | null
      >`max(sequence) filter (where occurred_at < ${until === null ? 'infinity' : instantOf(until)}::timestamptz)`.as(
        'last',
      ),
    ])
    .where(inScope(ctx))
    .executeTakeFirstOrThrow();
  return first !== null && last !== null && first <= last ? { first, last } : null;
}

async function hashBefore(ctx: Ctx, stretch: Stretch): Promise<Buffer> {
  const row =
    stretch &&
    (await scoped(ctx)
      .where('sequence', '=', stretch.first - 1)
      .executeTakeFirst());
  return row?.hash ?? genesisOf(ctx.scope);
}

/** Served by the primary key. */
function pageFrom(ctx: Ctx, first: number, last: number): Promise<ExportLine[]> {
  return scoped(ctx)
    .where('sequence', '>=', first)
    .where('sequence', '<=', last)
    .orderBy('sequence')
    .limit(PAGE)
    .execute();
}

function scoped({ db, scope }: Ctx) {
  return db.selectFrom('audit_entries').select(['sequence', 'entry', 'leaf', 'hash']).where(inScope({ scope }));
}

import type { Selectable } from 'kysely';
import { type Static, Type } from 'typebox';
import { emit } from '#events';
import { type Id, IdSchema, newId } from '#platform/ids.ts';
import { newestFirst, type Page, PageQuery } from '#platform/page.ts';
import { found, problem } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { ComponentIds, requireComponents } from './components.ts';
import { Body, Title } from './incident-records.ts';
import { inPage, type OfPage, ofPage, type PageCtx, type PageTx, pageTransaction } from './pages.ts';

type TemplateId = Id<'stt'>;
type StatusTemplatesTable = OfPage & {
  id: TemplateId;
  kind: 'incident' | 'maintenance';
  name: string;
  title: string;
  body: string;
  severity: 'minor' | 'major' | 'critical' | null;
  component_ids: string[];
  duration_minutes: number | null;
  created_at: Date;
  updated_at: Date;
};
type TemplateRow = Selectable<StatusTemplatesTable>;

declare module '#platform/db.ts' {
  interface Tables {
    status_templates: StatusTemplatesTable;
  }
}

/** More would not be found again. */
const MAX_TEMPLATES = 200;

const Kind = Type.Enum(['incident', 'maintenance']);
const Name = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', description: 'How the team finds it.' });
const Text = Type.Unsafe<string>({
  ...Body,
  description:
    'The console replaces {components}, {time}, and in a maintenance {begins} and {ends} when it is published.',
});
const Severity = Type.Union([Type.Enum(['minor', 'major', 'critical']), Type.Null()], {
  description: 'Of an incident; null for a maintenance.',
});
const Duration = Type.Union([Type.Integer({ minimum: 1, maximum: 43_200 }), Type.Null()], {
  description: 'How long a maintenance is planned for; null for an incident, and where it differs.',
});

export const Template = Type.Object(
  {
    id: Type.String(),
    kind: Kind,
    name: Type.String(),
    title: Type.String(),
    body: Type.String(),
    severity: Severity,
    componentIds: Type.Array(Type.String()),
    durationMinutes: Duration,
    createdAt: Instant,
    updatedAt: Instant,
  },
  { title: 'StatusTemplate' },
);
type Template = Static<typeof Template>;
export const NewTemplate = Type.Object(
  {
    kind: Kind,
    name: Name,
    title: Title,
    body: Text,
    severity: Type.Optional(Severity),
    componentIds: Type.Optional(ComponentIds),
    durationMinutes: Type.Optional(Duration),
  },
  { additionalProperties: false },
);
export const TemplateChanges = Type.Object(
  {
    name: Type.Optional(Name),
    title: Type.Optional(Title),
    body: Type.Optional(Text),
    severity: Type.Optional(Severity),
    componentIds: Type.Optional(ComponentIds),
    durationMinutes: Type.Optional(Duration),
  },
  { additionalProperties: false, minProperties: 1 },
);
export const TemplateQuery = Type.Interface([PageQuery], { kind: Type.Optional(Kind) });
export const TemplateRef = Type.Object({ id: IdSchema('stt') });

function recordOf(row: TemplateRow): Template {
  const { id, kind, name, title, body, severity, component_ids, duration_minutes, created_at, updated_at } = row;
  return {
    id,
    kind,
    name,
    title,
    body,
    severity,
    componentIds: component_ids,
    durationMinutes: duration_minutes,
    createdAt: created_at.toISOString(),
    updatedAt: updated_at.toISOString(),
  };
}

/** Newest first. Served by the primary key. */
export async function listTemplates(
  ctx: PageCtx,
  { limit, cursor, kind }: Static<typeof TemplateQuery>,
): Promise<Page<Template>> {
  let query = ctx.db.selectFrom('status_templates').selectAll().where(inPage(ctx.page));
  if (kind !== undefined) query = query.where('kind', '=', kind);
  const page = await newestFirst(ctx, query, { list: `status-templates ${kind ?? ''}`, limit, cursor });
  return { items: page.rows.map(recordOf), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function getTemplate(ctx: PageCtx, id: TemplateId): Promise<Template> {
  const row = await ctx.db
    .selectFrom('status_templates')
    .selectAll()
    .where(inPage(ctx.page))
    .where('id', '=', id)
    .executeTakeFirst();
  return recordOf(found(row));
}

/** @throws Problem VALIDATION_FAILED, CONFLICT beyond 200 templates */
export async function createTemplate(ctx: PageCtx, template: Static<typeof NewTemplate>): Promise<Template> {
  const { kind, name, title, body, severity = null, componentIds = [], durationMinutes = null } = template;
  requireFits(kind, { severity, durationMinutes });
  return pageTransaction(ctx, async (tx) => {
    await requireRoom(tx);
    await requireComponents(tx, componentIds);
    const row: TemplateRow = {
      ...ofPage(tx.page),
      id: newId('stt', tx.now),
      kind,
      name: name.trim(),
      title,
      body,
      severity: kind === 'incident' ? (severity ?? 'minor') : null,
      component_ids: [...new Set(componentIds)],
      duration_minutes: durationMinutes,
      created_at: tx.now,
      updated_at: tx.now,
    };
    await tx.db.insertInto('status_templates').values(row).execute();
    await emit(tx, 'status.template.created', { templateId: row.id, kind, name: row.name });
    return recordOf(row);
  });
}

/** Locks the board, so that templates are counted one creation after the other. @throws Problem CONFLICT beyond 200 */
async function requireRoom(tx: PageTx): Promise<void> {
  await tx.db
    .selectFrom('status_boards')
    .select('environment')
    .where(inPage(tx.page))
    .forUpdate()
    .executeTakeFirstOrThrow();
  const { count } = await tx.db
    .selectFrom('status_templates')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(inPage(tx.page))
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_TEMPLATES)
    throw problem('CONFLICT', `There are ${MAX_TEMPLATES} templates already. Remove one that is no longer used.`);
}

/** An incident has a severity and no duration; a maintenance has no severity. */
function requireFits(
  kind: TemplateRow['kind'],
  { severity, durationMinutes }: { severity: TemplateRow['severity']; durationMinutes: number | null },
): void {
  const wrong = kind === 'incident' ? durationMinutes !== null && 'durationMinutes' : severity !== null && 'severity';
  if (wrong)
    throw problem('VALIDATION_FAILED', {
      extensions: {
        errors: [
          {
            pointer: `/body/${wrong}`,
            message: `must be null: the template is for ${kind === 'incident' ? 'an incident' : 'a maintenance'}`,
          },
        ],
      },
    });
}

/** @throws Problem NOT_FOUND, VALIDATION_FAILED */
export async function updateTemplate(
  ctx: PageCtx,
  id: TemplateId,
  changes: Static<typeof TemplateChanges>,
): Promise<Template> {
  return pageTransaction(ctx, async (tx) => {
    const before = await tx.db
      .selectFrom('status_templates')
      .selectAll()
      .where(inPage(tx.page))
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    const { kind } = found(before);
    const { name, componentIds, durationMinutes, severity, ...texts } = changes;
    requireFits(kind, { severity: severity ?? null, durationMinutes: durationMinutes ?? null });
    if (kind === 'incident' && severity === null)
      throw problem('VALIDATION_FAILED', {
        extensions: { errors: [{ pointer: '/body/severity', message: 'is required for an incident' }] },
      });
    if (componentIds) await requireComponents(tx, componentIds);
    const row = await tx.db
      .updateTable('status_templates')
      .set({
        ...texts,
        ...(name !== undefined && { name: name.trim() }),
        ...(severity !== undefined && { severity }),
        ...(componentIds && { component_ids: [...new Set(componentIds)] }),
        ...(durationMinutes !== undefined && { duration_minutes: durationMinutes }),
        updated_at: tx.now,
      })
      .where(inPage(tx.page))
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await emit(tx, 'status.template.updated', { templateId: id, changed: Object.keys(changes) });
    return recordOf(row);
  });
}

/** @throws Problem NOT_FOUND */
export async function deleteTemplate(ctx: PageCtx, id: TemplateId): Promise<void> {
  await pageTransaction(ctx, async (tx) => {
    const { numDeletedRows } = await tx.db
      .deleteFrom('status_templates')
      .where(inPage(tx.page))
      .where('id', '=', id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw problem('NOT_FOUND');
    await emit(tx, 'status.template.deleted', { templateId: id });
  });
}

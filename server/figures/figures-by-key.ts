import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import type { Follower, NumberedEvent } from '#events';
import type { Ctx, Environment, Scope } from '#platform/ctx.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { inScope } from '#platform/scoped.ts';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';

const keyedFigures = [
  'sign_ins_by_way',
  'sign_ins_by_application',
  'sign_ins_by_country',
  'failures_by_reason',
  'registrations',
  'registration_steps',
  'second_factors',
  'texts',
  'mails',
] as const;
type KeyedFigure = (typeof keyedFigures)[number];

type FiguresByKeyTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  figure: KeyedFigure | 'retained';
  day: Date;
  key: string;
  count: number;
};

declare module '#platform/db.ts' {
  interface Tables {
    figures_by_key: FiguresByKeyTable;
  }
}

type Data = NumberedEvent['data'];
type Keyed = { figure: KeyedFigure; key: string };

/** A key comes from our own code, and is still limited: it is part of a primary key. */
const MAX_KEY = 60;
const textIn = (data: Data, name: string) => String(data[name] ?? 'unknown').slice(0, MAX_KEY);

/** What an event counts as. */
const COUNTED: Readonly<Record<string, (data: Data) => Keyed | readonly Keyed[]>> = {
  'user.login': ({ amr, ...data }) => [
    { figure: 'sign_ins_by_way', key: (Array.isArray(amr) ? amr.join('+') : 'unknown').slice(0, MAX_KEY) },
    { figure: 'sign_ins_by_application', key: textIn(data, 'applicationId') },
  ],
  'user.login_failed': (data) => ({ figure: 'failures_by_reason', key: textIn(data, 'reason') }),
  'user.mfa.failed': () => ({ figure: 'failures_by_reason', key: 'second_factor' }),
  'user.created': () => ({ figure: 'registrations', key: 'created' }),
  'user.email.verified': () => ({ figure: 'registrations', key: 'verified' }),
  'user.phone.verified': () => ({ figure: 'registrations', key: 'verified' }),
  'user.mfa.enabled': (data) => ({ figure: 'second_factors', key: `${textIn(data, 'type')}_added` }),
  'user.mfa.disabled': (data) => ({ figure: 'second_factors', key: `${textIn(data, 'type')}_removed` }),
  'user.passkey.added': () => ({ figure: 'second_factors', key: 'passkey_added' }),
  'user.passkey.removed': () => ({ figure: 'second_factors', key: 'passkey_removed' }),
  'sms.sent': () => ({ figure: 'texts', key: 'sent' }),
  'sms.delivered': () => ({ figure: 'texts', key: 'delivered' }),
  'sms.failed': () => ({ figure: 'texts', key: 'failed' }),
};

function keyedOf({ type, data, example, counts }: NumberedEvent): readonly (Keyed & { day?: string })[] {
  if (example) return [];
  return [COUNTED[type]?.(data) ?? [], counts ?? []].flat();
}

/** Counts the events of a batch by key, in the transaction that numbers them (decision 93). */
export function figuresByKey(): Follower {
  return async (client, events) => {
    const counted = events.flatMap((event) => {
      const { workspaceId: w, projectId: p, environment: e, occurredAt } = event;
      const today = occurredAt.toISOString().slice(0, 10);
      return keyedOf(event).map(({ figure, key, day = today }) => ({ w, p, e, f: figure, k: key, d: day }));
    });
    if (counted.length === 0) return;
    await client.query({ name: 'figures-by-key', text: COUNT_BATCH, values: [JSON.stringify(counted)] });
  };
}

/** Rows are locked in the same order in every process, as those of daily_figures are. */
const COUNT_BATCH = `
insert into figures_by_key as known (workspace_id, project_id, environment, figure, day, key, count)
select w, p, e, f, d, k, count(*) from jsonb_to_recordset($1::jsonb) as r (w text, p text, e text, f text, k text, d date)
group by w, p, e, f, d, k order by 1, 2, 3, 4, 5, 6
on conflict (workspace_id, project_id, environment, figure, day, key) do update set count = known.count + excluded.count`;

/** Counts a mail by its result: mails have no events. */
export async function countMail(system: System, scope: Scope, key: 'sent' | 'failed'): Promise<void> {
  const { workspaceId, projectId, environment } = scope;
  await singleWrite(system, 'count')
    .insertInto('figures_by_key')
    .values({
      workspace_id: workspaceId,
      project_id: projectId,
      environment,
      figure: 'mails',
      day: sql<Date>`${system.clock.now().toISOString().slice(0, 10)}::date`,
      key,
      count: 1,
    })
    .onConflict((known) =>
      known
        .columns(['workspace_id', 'project_id', 'environment', 'figure', 'day', 'key'])
        .doUpdateSet({ count: sql<number>`figures_by_key.count + 1` }),
    )
    .execute();
}

const DAY_MS = 86_400_000;
const date = Type.String({ format: 'date' });

export const InsightQuery = Type.Object({ days: Type.Integer({ minimum: 1, maximum: 365, default: 30 }) });

export const Insight = Type.Object(
  {
    dates: Type.Array(date, { description: 'Every day of the range in UTC, oldest first.' }),
    series: Type.Array(
      Type.Object({
        figure: Type.Enum([...keyedFigures], {
          description:
            '`sign_ins_by_way`: by the methods of `amr`, joined by a plus; `sign_ins_by_application`: by the id of the application, `unknown` where the sign-in named none; `sign_ins_by_country`: by the country of the address (ISO 3166-1 alpha-2), `unknown` where it is not known; `failures_by_reason`: refused sign-ins; `registrations`: created accounts and verified addresses; `registration_steps`: people who registered with an address, by the day on which they began: `started`, of these `proven` (they proved the address) and `finished` (they signed in for the first time); `second_factors`: added and removed; `texts`: text messages by result; `mails`: `sent` were taken by a server, `failed` by none.',
        }),
        key: Type.String(),
        counts: Type.Array(Type.Integer(), { description: 'One for each date.' }),
      }),
    ),
    cohorts: Type.Array(
      Type.Object({
        month: date,
        joined: Type.Integer({ description: 'Members who joined in the month.' }),
        active: Type.Array(Type.Integer(), {
          description:
            'Of the people whose accounts are from the month, those who were active in it, and in each month after it.',
        }),
      }),
      { description: 'The last six months, oldest first.' },
    ),
    secondFactors: Type.Array(
      Type.Object({
        month: date,
        active: Type.Integer({ description: 'People who signed in, or entered the project, in the month.' }),
        withTwoFactors: Type.Integer({ description: 'Those of them who signed in with two factors.' }),
      }),
      { description: 'The last six months, oldest first.' },
    ),
  },
  { title: 'Insight' },
);

/** The figures by key of a project environment. Reads a row per figure, key and day. Served by the primary keys. */
export async function insightOf(ctx: Ctx, days: number): Promise<Static<typeof Insight>> {
  const dates = Array.from({ length: days }, (_, index) =>
    new Date(ctx.now.getTime() - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
  const [since = '', until = ''] = [dates[0], dates.at(-1)];
  const [rows, cohorts, secondFactors] = await Promise.all([
    keyedBetween(ctx, since, until),
    cohortsOf(ctx),
    secondFactorsOf(ctx),
  ]);
  const series = new Map<string, Static<typeof Insight>['series'][number]>();
  for (const { figure, key, date: day, count } of rows) {
    const name = `${figure} ${key}`;
    const found = series.get(name) ?? { figure, key, counts: dates.map(() => 0) };
    found.counts[dates.indexOf(day)] = count;
    series.set(name, found);
  }
  return { dates, series: [...series.values()], cohorts, secondFactors };
}

async function keyedBetween(ctx: Ctx, since: string, until: string) {
  const rows = await ctx.db
    .selectFrom('figures_by_key')
    .select(['figure', 'key', 'count', sql<string>`to_char(day, 'YYYY-MM-DD')`.as('date')])
    .where(inScope(ctx))
    .where('figure', 'in', [...keyedFigures])
    .where(sql<boolean>`day between ${since}::date and ${until}::date`)
    .orderBy('figure')
    .orderBy('key')
    .execute();
  return rows.flatMap(({ figure, ...row }) => (figure === 'retained' ? [] : [{ figure, ...row }]));
}

const MONTHS = 6;

function lastMonths({ now }: Pick<Ctx, 'now'>): string[] {
  return Array.from({ length: MONTHS }, (_, index) => monthAgo(now, MONTHS - 1 - index));
}

/** Served by the primary key. */
async function secondFactorsOf(ctx: Ctx): Promise<Static<typeof Insight>['secondFactors']> {
  const months = lastMonths(ctx);
  const [first = ''] = months;
  const rows = await ctx.db
    .selectFrom('daily_figures')
    .select(['figure', 'count', sql<string>`to_char(day, 'YYYY-MM-DD')`.as('month')])
    .where(inScope(ctx))
    .where('figure', 'in', ['active_month', 'two_factors_month'])
    .where(sql<boolean>`day >= ${first}::date`)
    .execute();
  return months.map((month) => {
    const people = (counted: string) => rows.find((row) => row.figure === counted && row.month === month)?.count ?? 0;
    return { month, active: people('active_month'), withTwoFactors: people('two_factors_month') };
  });
}

async function cohortsOf(ctx: Ctx): Promise<Static<typeof Insight>['cohorts']> {
  const months = lastMonths(ctx);
  const [first = ''] = months;
  const [retained, joined] = await Promise.all([
    ctx.db
      .selectFrom('figures_by_key')
      .select(['key', 'count', sql<string>`to_char(day, 'YYYY-MM-DD')`.as('month')])
      .where(inScope(ctx))
      .where('figure', '=', 'retained')
      .where(sql<boolean>`day >= ${first}::date`)
      .execute(),
    ctx.db
      .selectFrom('daily_figures')
      .select(({ fn }) => [
        sql<string>`to_char(date_trunc('month', day), 'YYYY-MM-DD')`.as('month'),
        fn.sum<number>('count').as('count'),
      ])
      .where(inScope(ctx))
      .where('figure', '=', 'new_members')
      .where(sql<boolean>`day >= ${first}::date`)
      .groupBy(sql`1`)
      .execute(),
  ]);
  return months.map((month, index) => ({
    month,
    joined: Number(joined.find((row) => row.month === month)?.count ?? 0),
    active: months
      .slice(index)
      .map((later) => retained.find((row) => row.key === month && row.month === later)?.count ?? 0),
  }));
}

function monthAgo(now: Date, months: number): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).toISOString().slice(0, 10);
}

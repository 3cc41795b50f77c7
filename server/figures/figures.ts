import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import type { Follower, NumberedEvent } from '#events';
import type { Ctx, Environment } from '#platform/ctx.ts';
import { type ProjectId, timeOfId, type UserId, type WorkspaceId } from '#platform/ids.ts';
import { deleteOldRows } from '#platform/part.ts';
import { inScope } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';
import { deliveriesPerDay } from '#webhooks';

type Figure = 'sign_ins' | 'failures' | 'new_members' | 'active' | 'active_month' | 'two_factors_month' | 'members';

type DailyFiguresTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  figure: Figure;
  day: Date;
  count: number;
};

type ActivePeopleTable = Omit<DailyFiguresTable, 'count'> & { user_id: UserId };

declare module '#platform/db.ts' {
  interface Tables {
    daily_figures: DailyFiguresTable;
    active_people: ActivePeopleTable;
  }
}

/** The figures that an event changes. `members` is a total, not a figure per day. */
const COUNTED: Readonly<Record<string, Readonly<Record<string, 1 | -1>>>> = {
  'user.login': { sign_ins: 1 },
  'user.login_failed': { failures: 1 },
  'user.mfa.failed': { failures: 1 },
  'membership.created': { new_members: 1, members: 1 },
  'membership.deleted': { members: -1 },
};
/** The date of totals, as the database writes it: before every day. */
const NO_DAY = '-infinity';
/** The events that count a user as active. */
const ACTIVE = ['user.login', 'session.context_switched'];

/**
 * Counts the events of a batch per scope and day, and active users once per day and month. Runs as one statement in the
 * transaction that numbers the events, in the one process that does so: the counts are exact, and no request waits for
 * a counter.
 */
export function dailyFigures(): Follower {
  return async (client, events) => {
    const counted = events.flatMap((event) => rowsOf(event, COUNTED[event.type] ?? {}));
    const active = events.flatMap((event) => rowsOf(event, activityIn(event)));
    if (counted.length + active.length === 0) return;
    await client.query({
      name: 'daily-figures',
      text: COUNT_BATCH,
      values: [JSON.stringify(counted), JSON.stringify(active), JSON.stringify(cohortsIn(active))],
    });
  };
}

/** What people are counted as once in a period. `two_factors`: they signed in with two factors. */
function activityIn({ type, data: { amr } }: NumberedEvent): Partial<Record<'active' | 'two_factors', 1>> {
  if (!ACTIVE.includes(type)) return {};
  return Array.isArray(amr) && amr.includes('mfa') ? { active: 1, two_factors: 1 } : { active: 1 };
}

/** The month in which the account of each person was made, which their id says. */
function cohortsIn(active: readonly Counted[]): { u: string; k: string }[] {
  const people = [...new Set(active.flatMap(({ u }) => (u === null ? [] : [u])))];
  return people.flatMap((u) => {
    const made = timeOfId(u);
    return made ? [{ u, k: `${made.toISOString().slice(0, 7)}-01` }] : [];
  });
}

type Counted = { w: WorkspaceId; p: ProjectId; e: Environment; f: string; d: string; u: string | null; n: number };

function rowsOf(event: NumberedEvent, added: Readonly<Record<string, number>>): Counted[] {
  if (event.example) return [];
  const { workspaceId: w, projectId: p, environment: e, data } = event;
  const u = typeof data['userId'] === 'string' ? data['userId'] : null;
  const day = event.occurredAt.toISOString().slice(0, 10);
  return Object.entries(added).map(([f, n]) => ({ w, p, e, f, d: f === 'members' ? NO_DAY : day, u, n }));
}

/** Rows are locked in the same order in every process, so that a new leader and an old one can't deadlock. */
const COUNT_BATCH = `
with counted as (
  select w, p, e, f, d, sum(n) as n
  from jsonb_to_recordset($1::jsonb) as r (w text, p text, e text, f text, d date, n integer) group by w, p, e, f, d
), active as (
  select distinct w, p, e, period.figure as f, date_trunc(period.unit, r.d)::date as d, u
  from jsonb_to_recordset($2::jsonb) as r (w text, p text, e text, f text, d date, u text)
  join (values ('active', 'active', 'day'), ('active', 'active_month', 'month'), ('two_factors', 'two_factors_month', 'month'))
    as period (counted, figure, unit) on period.counted = r.f
  where u is not null
), first_seen as (
  insert into active_people (workspace_id, project_id, environment, figure, day, user_id)
  select w, p, e, f, d, u from active order by w, p, e, f, d, u
  on conflict do nothing
  returning workspace_id as w, project_id as p, environment as e, figure as f, day as d, user_id as u
), retained as (
  insert into figures_by_key as known (workspace_id, project_id, environment, figure, day, key, count)
  select s.w, s.p, s.e, 'retained', s.d, c.k, count(*) from first_seen s
  join jsonb_to_recordset($3::jsonb) as c (u text, k text) on c.u = s.u
  where s.f = 'active_month' group by s.w, s.p, s.e, s.d, c.k order by 1, 2, 3, 5, 6
  on conflict (workspace_id, project_id, environment, figure, day, key) do update set count = known.count + excluded.count
)
insert into daily_figures as known (workspace_id, project_id, environment, figure, day, count)
select w, p, e, f, d, n from counted
union all
select w, p, e, f, d, count(*) from first_seen group by w, p, e, f, d
order by 1, 2, 3, 4, 5
on conflict (workspace_id, project_id, environment, figure, day) do update set count = known.count + excluded.count`;

/** How long a user stays marked as counted: until the month is certainly over. */
const REMEMBERED_DAYS = 62;

/** Deletes the marks of counted users, once they can't be counted again. */
export async function removeActivePeople(system: System): Promise<void> {
  const before = new Date(system.clock.now().getTime() - REMEMBERED_DAYS * DAY_MS);
  await deleteOldRows(system, 'active_people', { column: 'day', before });
}

const DAY_MS = 86_400_000;
const count = Type.Integer();

export const OverviewQuery = Type.Object({ days: Type.Integer({ minimum: 1, maximum: 180, default: 30 }) });

const figures = {
  signIns: count,
  failures: Type.Integer({ description: 'Refused passwords, codes and second factors.' }),
  newMembers: count,
  deliveries: Type.Integer({ description: 'Webhook deliveries queued on that day.' }),
  delivered: Type.Integer({ description: 'Those deliveries that have arrived.' }),
};

export const Overview = Type.Object({
  since: Type.String({ format: 'date' }),
  until: Type.String({ format: 'date' }),
  days: Type.Array(
    Type.Object({
      date: Type.String({ format: 'date', description: 'UTC.' }),
      activeMembers: Type.Integer({ description: 'People who signed in or entered the project, each once.' }),
      ...figures,
    }),
    { description: 'Every day of the range, oldest first.' },
  ),
  totals: Type.Object({
    members: Type.Integer({ description: 'Members of any status.' }),
    activeMembersThisMonth: Type.Integer({ description: 'Users who were active in the calendar month, in UTC.' }),
    ...figures,
  }),
});
type Overview = Static<typeof Overview>;
type Day = Overview['days'][number];

const FIELDS = new Map<Figure, 'signIns' | 'failures' | 'newMembers' | 'activeMembers'>([
  ['sign_ins', 'signIns'],
  ['failures', 'failures'],
  ['new_members', 'newMembers'],
  ['active', 'activeMembers'],
]);

/** The figures of a project environment by day. Reads a row per figure and day. Served by the primary key. */
export async function overviewOf(ctx: Ctx, days: number): Promise<Overview> {
  const dates = Array.from({ length: days }, (_, index) => dayOf(ctx.now.getTime() - (days - 1 - index) * DAY_MS));
  const [since = '', until = ''] = [dates[0], dates.at(-1)];
  const month = `${until.slice(0, 7)}-01`;
  const [rows, deliveries, members] = await Promise.all([
    figuresBetween(ctx, month < since ? month : since, until),
    deliveriesPerDay(ctx, new Date(since)),
    membersOf(ctx),
  ]);
  const byDate = new Map<string, Day>(dates.map((date) => [date, { date, ...NOTHING }]));
  for (const { figure, date, count: number } of rows) {
    const day = byDate.get(date);
    const field = FIELDS.get(figure);
    if (day && field) day[field] = number;
  }
  for (const { date, deliveries: queued, delivered } of deliveries)
    Object.assign(byDate.get(date) ?? {}, { deliveries: queued, delivered });
  const all = [...byDate.values()];
  const thisMonth = rows.find(({ figure, date }) => figure === 'active_month' && date === month);
  return { since, until, days: all, totals: totalsOf(all, members, thisMonth?.count ?? 0) };
}

const NOTHING = { signIns: 0, failures: 0, newMembers: 0, activeMembers: 0, deliveries: 0, delivered: 0 };

function totalsOf(days: readonly Day[], members: number, activeMembersThisMonth: number): Overview['totals'] {
  const sum = (field: Exclude<keyof Day, 'date'>) => days.reduce((total, day) => total + day[field], 0);
  return {
    members,
    activeMembersThisMonth,
    signIns: sum('signIns'),
    failures: sum('failures'),
    newMembers: sum('newMembers'),
    deliveries: sum('deliveries'),
    delivered: sum('delivered'),
  };
}

/** Served by the primary key. */
async function membersOf(ctx: Ctx): Promise<number> {
  const row = await ctx.db
    .selectFrom('daily_figures')
    .select('count')
    .where(inScope(ctx))
    .where('figure', '=', 'members')
    .where(sql<boolean>`day = ${NO_DAY}::date`)
    .executeTakeFirst();
  return row?.count ?? 0;
}

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

function figuresBetween(ctx: Ctx, since: string, until: string) {
  return ctx.db
    .selectFrom('daily_figures')
    .select(['figure', 'count', sql<string>`to_char(day, 'YYYY-MM-DD')`.as('date')])
    .where(inScope(ctx))
    .where(sql<boolean>`day between ${since}::date and ${until}::date`)
    .execute();
}

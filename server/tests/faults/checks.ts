import type { Installation } from './site.ts';

/** Describes every acknowledged change that is missing, and every gap in the numbers of events. */
export async function findLosses({ query, load }: Installation): Promise<string[]> {
  const { emails, changes, organizations, setting } = load.acknowledged;
  const people = await query<{ value: string }>(
    `select i.value from identifiers i join events e on e.workspace_id = i.workspace_id and e.type = 'user.created'
       and e.data->>'userId' = i.user_id and e.sequence is not null`,
  );
  const logged = await query<{ correlation_id: string }>(
    `select distinct correlation_id from events where sequence is not null and correlation_id like 'fault-%'`,
  );
  const created = await query<{ name: string; count: number }>(
    `select name, count(*)::integer as count from organizations where name like 'fault-%' group by 1`,
  );
  const [stored] = await query<{ seconds: number }>(
    `select (settings->>'accessTokenSeconds')::integer as seconds from project_environments
     where settings ? 'accessTokenSeconds'`,
  );
  const once = created.filter(({ count }) => count === 1).map(({ name }) => name);
  return [
    ...missing(
      'registration',
      emails,
      people.map(({ value }) => value),
    ),
    ...missing(
      'event',
      changes,
      logged.map((row) => row.correlation_id),
    ),
    ...missing('organization, exactly once', organizations, once),
    ...created.filter(({ count }) => count > 1).map(({ name }) => `created twice: ${name}`),
    ...([setting.last, ...setting.open].includes(stored?.seconds ?? null)
      ? []
      : [`setting: ${setting.last}, not ${stored?.seconds}`]),
    ...(await findGaps(query)),
  ];
}

function missing(what: string, acknowledged: readonly string[], found: readonly string[]): string[] {
  const known = new Set(found);
  return acknowledged.filter((one) => !known.has(one)).map((one) => `${what}: ${one}`);
}

async function findGaps(query: Installation['query']): Promise<string[]> {
  const scopes = await query<{ project_id: string }>(
    `select project_id from events where sequence is not null group by workspace_id, project_id, environment
     having count(*) <> max(sequence) or count(*) <> count(distinct sequence)`,
  );
  return scopes.map(({ project_id }) => `events of ${project_id} have a gap or a duplicate`);
}

/** The number of events that no worker has numbered yet. */
export async function countWaiting({ query }: Installation): Promise<number> {
  const [row] = await query<{ waiting: number }>(
    'select count(*)::integer as waiting from events where sequence is null',
  );
  return row?.waiting ?? 0;
}

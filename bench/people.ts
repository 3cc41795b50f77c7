import type pg from 'pg';
import { searchTextOf } from '../server/people/search-text.ts';
import { firstIdAt } from '../server/platform/ids.ts';

const FIRST =
  'Ada Ben Chiara David Emma Felix Grace Hugo Ines Jonas Katrin Leon Maria Noah Olivia Paul Quentin Rosa Samuel Tina Ulrich Vera Walter Xenia Yusuf Zoë'.split(
    ' ',
  );
const SYLLABLES =
  'an bel cor dam ett fin gar hol ing jas kel lund mar nov ost per quin ros sten tor ulm vik wal xan yor zim'.split(
    ' ',
  );
const DOMAINS = Array.from({ length: 40 }, (_, n) => `${SYLLABLES[n % 26]}${SYLLABLES[(n * 7) % 26]}.example`);
/** A hash that matches no password: nobody signs in here. */
const HASH = '$2b$10$abcdefghijklmnopqrstuuJ0kQh1Yw0aP8mD7X5eRj3sQ2kL9vN6i';

type Person = { email: string; username: string; displayName: string; phone: string };

/** The person with a number; names repeat, as real names do. */
export function person(n: number): Person {
  const first = FIRST[(Math.imul(n, 2_654_435_761) >>> 8) % FIRST.length] ?? '';
  const last = [3, 5, 7]
    .map((salt) => SYLLABLES[(Math.imul(n + salt, 0x9e37_79b1 + salt) >>> 12) % SYLLABLES.length])
    .join('');
  const name = `${first.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()}.${last}`;
  return {
    email: `${name}.${n}@${DOMAINS[(n * 13) % DOMAINS.length]}`,
    username: `${last}${n}`,
    displayName: `${first} ${last.charAt(0).toUpperCase()}${last.slice(1)}`,
    phone: `+49301${String(n).padStart(7, '0')}`,
  };
}

/** Import rows, in batches of a thousand. */
export function* importRows(from: number, to: number): Generator<string> {
  for (let begin = from; begin < to; begin += 1_000)
    yield Array.from({ length: Math.min(1_000, to - begin) }, (_, index) => {
      const row = { ...person(begin + index), emailVerified: true, passwordHash: HASH, metadata: { n: begin + index } };
      return `${JSON.stringify(row)}\n`;
    }).join('');
}

export type Place = { workspaceId: string; projectId: string };

const BATCH = 10_000;
const DAY_MS = 86_400_000;

/** The rows that an import writes for a person, with one event instead of two. One in a hundred is blocked; every person has a role. */
const STATEMENTS = [
  `insert into users (workspace_id, environment, id, display_name, created_at, updated_at, search)
   select w, 'test', 'usr' || id, name, at, at, search from batch`,
  `insert into identifiers (workspace_id, environment, kind, value, user_id, verified_at, created_at)
   select w, 'test', kind, value, 'usr' || id, at, at
   from batch cross join lateral (values ('email', email), ('phone', phone), ('username', username)) as known (kind, value)`,
  `insert into passwords (workspace_id, environment, user_id, hash, changed_at)
   select w, 'test', 'usr' || id, '${HASH}', at from batch`,
  `insert into members (workspace_id, project_id, environment, id, user_id, status, metadata, created_at)
   select w, p, 'test', 'mem' || id, 'usr' || id, case when n % 100 = 0 then 'blocked' else 'active' end,
     jsonb_build_object('n', n), at from batch`,
  // One in ten thousand is an owner, one in a hundred an admin.
  `insert into member_roles (workspace_id, project_id, environment, member_id, role_id)
   select w, p, 'test', 'mem' || batch.id, roles.id
   from batch join roles on roles.workspace_id = w and roles.project_id = p and roles.environment = 'test'
     and roles.key = case when n % 10000 = 1 then 'owner' when n % 100 = 1 then 'admin' else 'viewer' end`,
  `insert into events (workspace_id, id, project_id, environment, type, occurred_at, actor, correlation_id, trace_id, data, sequence)
   select w, 'evt' || id, p, 'test', 'membership.created', at, '{"kind": "system", "name": "import"}', 'bench', 'bench',
     jsonb_build_object('memberId', 'mem' || id, 'userId', 'usr' || id), 1000000 + 10 * n from batch`,
  `insert into audit_entries (workspace_id, project_id, environment, sequence, id, occurred_at, action, actor, entry, leaf, hash)
   select w, p, 'test', 1000000 + 10 * n, 'evt' || id, at, 'membership.created', 'import',
     json_build_object('id', 'evt' || id, 'sequence', 1000000 + 10 * n, 'occurredAt', at, 'action', 'membership.created',
       'actor', json_build_object('kind', 'system', 'name', 'import'), 'correlationId', 'bench',
       'data', json_build_object('memberId', 'mem' || id, 'userId', 'usr' || id)),
     sha256(convert_to(id, 'utf8')), sha256(convert_to(id, 'utf8')) from batch`,
  `insert into audit_resources (workspace_id, project_id, environment, resource, occurred_at, sequence)
   select w, p, 'test', resource, at, 1000000 + 10 * n
   from batch cross join lateral (values ('mem' || id), ('usr' || id)) as named (resource)`,
];

const COUNTERS = [
  `insert into event_sequences (workspace_id, project_id, environment, last) values ($1, $2, 'test', 1000000 + 10 * $3::bigint)
   on conflict (workspace_id, project_id, environment) do update set last = greatest(event_sequences.last, excluded.last)`,
  `insert into daily_figures (workspace_id, project_id, environment, figure, day, count)
   values ($1, $2, 'test', 'members', '-infinity', $3::bigint)
   on conflict (workspace_id, project_id, environment, figure, day) do update set count = excluded.count`,
];

/**
 * Adds the people numbered `from` to `to` (exclusive) with all their rows to the test environment of a project, many rows per
 * statement. This is much faster than the import, which is measured separately. It needs a superuser of the database.
 */
export async function seedPeople(
  database: pg.Client,
  place: Place,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await database.query(`set session_replication_role = replica; set maintenance_work_mem = '512MB'`);
  const { rows } = await database.query(`select pg_get_indexdef('users_texts'::regclass) as definition`);
  await database.query('drop index users_texts');
  for (let begin = from; begin < to; begin += BATCH) {
    // biome-ignore lint/performance/noAwaitInLoops: one batch after the other
    await seedBatch(database, place, { begin, end: Math.min(to, begin + BATCH) });
  }
  await database.query(rows[0]?.definition);
  for (const text of COUNTERS) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection
    await database.query(text, [place.workspaceId, place.projectId, to]);
  }
}

async function seedBatch(
  database: pg.Client,
  { workspaceId, projectId }: Place,
  { begin, end }: { begin: number; end: number },
): Promise<void> {
  const numbers = Array.from({ length: end - begin }, (_, index) => begin + index);
  const people = numbers.map(person);
  // Lower numbers are older: one day per ten thousand.
  const moments = numbers.map((n) => new Date(Date.now() - 400 * DAY_MS + (n * DAY_MS) / 10_000));
  // The time part of an id, with the number instead of random bits.
  const ids = moments.map((at, index) => firstIdAt('x', at).slice(1, 12) + String(numbers[index]).padStart(16, '0'));
  const columns = [
    numbers,
    ids,
    moments,
    people.map(({ email }) => email),
    people.map(({ phone }) => phone),
    people.map(({ username }) => username),
    people.map(({ displayName }) => displayName),
    people.map(({ email, phone, username, displayName }) =>
      searchTextOf({ identifiers: [email, phone, username], displayName }),
    ),
  ];
  await database.query('begin');
  await database.query(
    'create temp table batch (w text, p text, n integer, id text, at timestamptz, email text, phone text, username text, name text, search text) on commit drop',
  );
  await database.query(
    `insert into batch select $9, $10, * from
       unnest($1::int[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])`,
    [...columns, workspaceId, projectId],
  );
  for (const text of STATEMENTS) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection
    await database.query(text);
  }
  await database.query('commit');
}

/** Adds projects to a workspace until it has about the given number. */
export async function seedProjects(database: pg.Client, workspaceId: string, count: number): Promise<void> {
  const first = firstIdAt('prj', new Date()).slice(0, 14);
  await database.query(
    `insert into projects (workspace_id, id, name, created_at)
     select $1, $2 || lpad(n::text, 16, '0'), 'Project ' || n, now() from generate_series(1, $3::int) as n`,
    [workspaceId, first, count],
  );
  await database.query(
    `insert into project_environments (workspace_id, project_id, environment, created_at, updated_at)
     select $1, $2 || lpad(n::text, 16, '0'), environment, now(), now()
     from generate_series(1, $3::int) as n cross join (values ('test'), ('production')) as pair (environment)`,
    [workspaceId, first, count],
  );
}

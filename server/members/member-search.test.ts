import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { searchPeople } from '#people';
import { folded } from '#platform/folded.ts';
import { firstIdAt } from '#platform/ids.ts';
import { eventually, managementToken, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await managementToken(latchkey);
});
after(() => latchkey.stop());

type Row = { id: string; lines: (string | null)[]; known: string[] | null };

/** All members of the first project, newest first, with the texts by which they are found. */
async function allMembers(): Promise<Row[]> {
  const { workspaceId, projects } = latchkey.demo;
  const { rows } = await latchkey.system.pool.query<Row>(
    `select m.id, array_append(array(select value from identifiers i
         where i.workspace_id = $1 and i.environment = 'test' and i.user_id = u.id), u.display_name) as lines,
       case when m.known_as is not null then array(select value from jsonb_each_text(m.known_as)) end as known
     from members m join users u on u.workspace_id = $1 and u.environment = 'test' and u.id = m.user_id
     where m.workspace_id = $1 and m.project_id = $2 and m.environment = 'test' order by m.id collate "C" desc`,
    [workspaceId, projects[0]?.id],
  );
  return rows;
}

/** The ids that a search must find, without any index. */
function expected(people: readonly Row[], typed: string): string[] {
  const text = folded(typed);
  const hits = (line: string) => (text.length < 3 ? folded(line).startsWith(text) : folded(line).includes(text));
  const whole = people.filter(({ lines }) => lines.includes(typed) && /[@+]/.test(typed));
  const found = people.filter(({ lines }) => lines.some((line) => line !== null && hits(line)));
  return (text === '' ? [] : whole.length > 0 ? whole : found)
    .filter(({ known }) => known === null || known.some((value) => value.includes(typed.trim().toLowerCase())))
    .map(({ id }) => id);
}

/** The ids on the first pages of a search. */
async function found(q: string, limit: number, pages = Number.POSITIVE_INFINITY): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = '';
  for (let page = 0; cursor !== null && page < pages; page += 1) {
    const query = `q=${encodeURIComponent(q)}&limit=${limit}${cursor && `&cursor=${cursor}`}`;
    // biome-ignore lint/performance/noAwaitInLoops: one page after the other
    const { status, text, body } = await latchkey.api(`/v1/admin/members?${query}`, { token });
    assert.equal(status, 200, text);
    ids.push(...body.items.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor;
  }
  return ids;
}

const FIRST = ['Åsa', 'Zoë', 'Ed', 'Jo Ann', 'Ömer', 'MAX', 'Ann-Lee', 'Al'];
const LAST = ['Öström', 'Groß', 'Ng', 'Ivanova 田中', 'de la Cruz', '100%_\\Safe', 'Annson', 'O’Neil', 'Maxwell', 'Li'];

async function importPeople(count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => ({
    email: `${n % 3 === 0 ? 'ann' : 'x_y'}.${n}@${n % 2 === 0 ? 'mail' : 'post-box'}.example`,
    displayName: `${FIRST[n % FIRST.length]} ${LAST[(n * 7) % LAST.length]}`,
    ...(n % 2 === 0 && { username: `User.${n}_${(n * 31) % 97}` }),
    ...(n % 4 === 0 && { phone: `+49301${String(n).padStart(7, '0')}` }),
  }));
  const body = rows.map((row) => JSON.stringify(row)).join('\n');
  const headers = { 'content-type': 'application/x-ndjson' };
  const { body: started } = await latchkey.api('/v1/admin/members/import', { token, body, headers });
  await eventually(async () => {
    const { body: report } = await latchkey.api(`/v1/admin/members/import/${started.id}`, { token });
    assert.deepEqual([report.status, report.created], ['completed', count], JSON.stringify(report));
  });
}

/**
 * People of another project with the same texts. Half of them joined this project later than they got their account; it knows
 * some of these by their address only.
 */
async function addLatecomers(): Promise<void> {
  const { workspaceId, projects } = latchkey.demo;
  const where = { workspaceId, projectId: projects[1]?.id };
  for (let n = 0; n < 8; n += 1) {
    // biome-ignore lint/performance/noAwaitInLoops: each is newer
    await register(latchkey, { ...where, profile: { displayName: `${FIRST[n]} ${LAST[n]}` } });
  }
  const places = [workspaceId, projects[0]?.id, projects[1]?.id];
  await latchkey.system.pool.query(
    `insert into members (workspace_id, project_id, environment, id, user_id, status, created_at, known_as)
     select $1, $2, 'test', $4 || lpad(row_number() over (order by id)::text, 6, '0'), user_id, 'active', now(),
       case when row_number() over (order by id) % 4 = 0 then jsonb_build_object('email',
         (select value from identifiers i where i.workspace_id = $1 and i.environment = 'test' and i.user_id = m.user_id and kind = 'email')) end
     from members m where workspace_id = $1 and project_id = $3 and environment = 'test' and right(id, 1) < 'g'
       and not exists (select from members o where o.workspace_id = $1 and o.project_id = $2 and o.environment = 'test' and o.user_id = m.user_id)`,
    [...places, firstIdAt('mem', new Date()).slice(0, -6)],
  );
  await latchkey.system.pool.query(
    `insert into members (workspace_id, project_id, environment, id, user_id, status, created_at)
     select $1, $3, 'test', id, user_id, status, created_at from members
     where workspace_id = $1 and project_id = $2 and environment = 'test'
     on conflict do nothing`,
    places,
  );
}

/** Every text of some people, whole and in parts; of any text also the upper case and the text without accents. */
function textsOf(people: readonly Row[]): string[] {
  const lines = people.flatMap((person) => person.lines).filter((line) => line !== null);
  const parts = lines.flatMap((line) => [
    line,
    ...[1, 2, 3, 4, 5, 8].flatMap((length) => [line.slice(0, length), line.slice(-length), line.slice(2, 2 + length)]),
    line.slice(0, -3).toUpperCase(),
    line.slice(1).normalize('NFD').replaceAll(/\p{M}/gu, ''),
  ]);
  return [...new Set(parts)].filter((part) => part !== '');
}

test('a search finds exactly the members that have the text, newest first, whatever the text', async () => {
  await importPeople(1_200);
  await addLatecomers();
  const people = await allMembers();
  const some = people.filter((_, index) => index < 4 || index % 251 === 0);
  const texts = [
    ...textsOf(some),
    '%',
    '_',
    '\\',
    '%%%',
    '___',
    '100%',
    '%_\\',
    'a%n',
    'x_y',
    '.example',
    'e +49',
    ' ',
    '..',
    '@m',
  ];
  assert.ok(texts.length > 100);
  for (const text of texts) {
    const wanted = expected(people, text);
    const limit = wanted.length > 60 ? 100 : 20;
    // biome-ignore lint/performance/noAwaitInLoops: one search after the other
    assert.deepEqual(await found(text, limit, 3), wanted.slice(0, 3 * limit), JSON.stringify(text));
  }
});

test('a search finds every match among members that are older than those it scans', async () => {
  const { workspaceId, projects } = latchkey.demo;
  const add = (name: string, days: number, count: number) => {
    const at = new Date(Date.now() + days * 86_400_000);
    const [user, member] = ['usr', 'mem'].map((prefix) => firstIdAt(prefix, at).slice(0, -6));
    return latchkey.system.pool.query(
      `with ids as (select lpad(n::text, 6, '0') as n from generate_series(1, $6::integer) n), people as (
         insert into users (workspace_id, environment, id, display_name, search, created_at, updated_at)
         select $1, 'test', $3 || n, $5 || n, E'\\n' || lower($5) || n, now(), now() from ids)
       insert into members (workspace_id, project_id, environment, id, user_id, status, created_at)
       select $1, $2, 'test', $4 || n, $3 || n, 'active', now() from ids`,
      [workspaceId, projects[0]?.id, user, member, name, count],
    );
  };
  await add('Quixotic', 1, 1_600);
  await add('Sancho', 2, 5_100);
  await add('Windmill', 3, 4_000);
  await add('Quixotic near', 4, 1);
  await add('Sancho near', 5, 1);
  await add('Windmill', 6, 600);
  const expectAll = async (why: string) => {
    const people = await allMembers();
    assert.deepEqual(await found('quixotic', 100), expected(people, 'quixotic'), why);
    assert.deepEqual(await found('quixotic000123', 20), expected(people, 'quixotic000123'), why);
    const { body } = await latchkey.api('/v1/admin/members?q=sancho&limit=100', { token });
    const ids = body.items.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids, expected(people, 'sancho').slice(0, 100), why);
  };
  await expectAll('among the members that are scanned');
  await add('Windmill', 7, 4_000);
  await expectAll('beyond the members that are scanned');
});

test('a search by several words asks the index for each of them', async () => {
  const statements: string[] = [];
  await latchkey.inProject(async (tx) => {
    const db = tx.db.withPlugin({
      transformQuery: ({ node }) => {
        statements.push(JSON.stringify(node));
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    await searchPeople(tx, 'quixotic windmill')?.some({ db }, 5);
  });
  assert.match(statements.at(-1) ?? '', /%(?:qui|uix|ixo|xot|oti|tic)%/);
  assert.match(statements.at(-1) ?? '', /%(?:win|ind|ndm|dmi|mil|ill)%/);
});

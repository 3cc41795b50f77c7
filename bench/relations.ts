import { randomInt } from 'node:crypto';
import pg from 'pg';
import { createInstallation, managementToken, readSubject } from './installation.ts';
import { seedProjects } from './people.ts';
import { replaceRelations } from './performance.ts';
import { startLatchkey, stop } from './server.ts';

/**
 * Fills a project with a million relations, beside other projects with relations of their own, and measures checks and
 * lists by sequential requests. The baseline, in the same turns, is a select by a primary key over a connection of its own.
 * `npm run bench:relations -- RELATIONS`; 1000000 by default.
 */
const RELATIONS = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = 1_000;
const PORT_BASE = 28_000;
const PEOPLE = 10_000;
const ORGANIZATIONS = 1_000;

const installation = await createInstallation();
const { child: latchkey } = await startLatchkey({ ...installation.settings, LATCHKEY_PORT_BASE: String(PORT_BASE) });
process.once('exit', () => latchkey.kill());
const subject = await readSubject(installation);
const { apiUrl, workspaceId, projectId } = subject;
const token = await managementToken(subject);
const database = new pg.Client({ connectionString: installation.databaseUrl });
await database.connect();

await defineTypes();
const began = performance.now();
await fill();
console.log(`${RELATIONS} relations filled in ${((performance.now() - began) / 1000).toFixed(0)} s`);
await measureAll('planner unaware');
await database.query('vacuum analyze');
const measured = await measureAll('with statistics');
if (RELATIONS >= 1_000_000) await replaceRelations(measured);
await database.end();
await stop(latchkey);
await installation.end();
process.exit(0);

async function call(path: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${apiUrl}/v1/admin/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return Object(await response.json());
}

async function defineTypes(): Promise<void> {
  await call('permissions', { key: 'documents:read', description: 'Read documents' });
  await call('organization-roles', { key: 'reader', name: 'Reader', permissions: [] });
  const relations = [{ key: 'viewer', permissions: ['documents:read'] }];
  await call('authorization/types', { key: 'root', name: 'Root', relations });
  const below = (parent: string) => [{ type: parent, inherits: { viewer: 'viewer' } }];
  await call('authorization/types', { key: 'shelf', name: 'Shelf', relations, parents: below('root') });
  await call('authorization/types', { key: 'folder', name: 'Folder', relations, parents: below('shelf') });
  await call('authorization/types', { key: 'document', name: 'Document', relations, parents: below('folder') });
}

/** An id whose last characters are a number. */
function idOf(prefix: string, n: number): string {
  return `${prefix}_01kaz3w9hqf8p9n2m4${String(n).padStart(8, '0')}`;
}

/** People with organizations, and relations to documents: a document is in a folder, on a shelf, below a root. */
async function fill(): Promise<void> {
  const scope = `'${workspaceId}', '${projectId}', 'test'`;
  const id = (prefix: string, n: string) => `'${prefix}_01kaz3w9hqf8p9n2m4' || lpad((${n})::text, 8, '0')`;
  const documents = Math.floor(RELATIONS * 0.4);
  const folders = Math.floor(RELATIONS * 0.09);
  const shelves = Math.floor(folders / 9);
  const relation = (from: number, values: string) => `
    insert into resource_relations (workspace_id, project_id, environment, resource_type, resource_id, relation, subject,
      member_id, organization_id, created_at)
    select ${scope}, ${values}, now() from generate_series(1, ${from}) n`;
  const roots = Math.max(1, Math.floor(shelves / 10));
  const statements = [
    // The seeded rows are consistent; checking each reference would take most of the time.
    'set session_replication_role = replica',
    `insert into users (workspace_id, environment, id, display_name, created_at, updated_at, search)
     select '${workspaceId}', 'test', ${id('usr', 'n')}, 'Person', now(), now(), '' from generate_series(1, ${PEOPLE}) n`,
    `insert into members (workspace_id, project_id, environment, id, user_id, status, created_at)
     select ${scope}, ${id('mem', 'n')}, ${id('usr', 'n')}, 'active', now() from generate_series(1, ${PEOPLE}) n`,
    `insert into organizations (workspace_id, project_id, environment, id, name, status, metadata, search, created_at, updated_at)
     select ${scope}, ${id('org', 'n')}, 'Company', 'active', '{}', '', now(), now() from generate_series(1, ${ORGANIZATIONS}) n`,
    `insert into organization_members (workspace_id, project_id, environment, organization_id, member_id, roles, created_at)
     select ${scope}, ${id('org', `n % ${ORGANIZATIONS} + 1`)}, ${id('mem', 'n')}, '{reader}', now()
     from generate_series(1, ${PEOPLE}) n`,
    relation(
      documents,
      `'document', 'd' || n, 'viewer', 'user:' || ${id('usr', `n % ${PEOPLE} + 1`)}, ${id('mem', `n % ${PEOPLE} + 1`)}, null`,
    ),
    relation(documents, `'document', 'd' || n, 'parent', 'folder:f' || (n % ${folders} + 1), null, null`),
    relation(folders, `'folder', 'f' || n, 'parent', 'shelf:s' || (n % ${shelves} + 1), null, null`),
    relation(shelves, `'shelf', 's' || n, 'parent', 'root:r' || (n % ${roots} + 1), null, null`),
    relation(
      roots,
      `'root', 'r' || n, 'viewer', 'user:' || ${id('usr', `n % ${PEOPLE} + 1`)}, ${id('mem', `n % ${PEOPLE} + 1`)}, null`,
    ),
    relation(
      RELATIONS - 2 * documents - folders - shelves - roots,
      `'document', 'o' || n, 'viewer', 'organization:' || ${id('org', `n % ${ORGANIZATIONS} + 1`)}, null, ${id('org', `n % ${ORGANIZATIONS} + 1`)}`,
    ),
    'set session_replication_role = origin',
  ];
  for (const statement of statements) {
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    await database.query(statement);
  }
  await fillOthers();
}

/** A hundred other projects with a thousand relations each, to the same ids. */
async function fillOthers(): Promise<void> {
  await seedProjects(database, workspaceId, 100);
  await database.query('set session_replication_role = replica');
  await database.query(
    `insert into resource_relations (workspace_id, project_id, environment, resource_type, resource_id, relation, subject, created_at)
     select $1, projects.id, 'test', 'document', 'd' || n, 'viewer', 'user:usr_01kaz3w9hqf8p9n2m400000001', now()
     from projects cross join generate_series(1, 1000) n where projects.workspace_id = $1 and projects.id <> $2`,
    [workspaceId, projectId],
  );
  await database.query('set session_replication_role = origin');
}

type Times = { p50: number; p95: number; p99: number };

/** @returns the part of the page */
async function measureAll(title: string): Promise<string> {
  const documents = Math.floor(RELATIONS * 0.4);
  const folders = Math.floor(RELATIONS * 0.09);
  const shelves = Math.floor(folders / 9);
  const roots = Math.max(1, Math.floor(shelves / 10));
  const userOf = (n: number) => idOf('usr', (n % PEOPLE) + 1);
  const asked = (userId: string, resource: string) => ({ userId, permission: 'documents:read', resource });
  const viewerOfRootAbove = (n: number) => {
    const folder = (n % folders) + 1;
    const shelf = (folder % shelves) + 1;
    return userOf((shelf % roots) + 1);
  };
  const check = async (question: unknown, allowed: boolean) => {
    const result = await call('authorization/check', question);
    if (result['allowed'] !== allowed) throw new Error(`${JSON.stringify(question)}: ${JSON.stringify(result)}`);
  };
  const any = () => randomInt(1, documents);
  const paths: Record<string, () => Promise<unknown>> = {
    'check, direct': () => {
      const n = any();
      return check(asked(userOf(n), `document:d${n}`), true);
    },
    'check, through an organization': () => {
      const n = randomInt(1, Math.floor(RELATIONS / 20));
      const organization = (n % ORGANIZATIONS) + 1;
      return check(asked(idOf('usr', organization === 1 ? ORGANIZATIONS : organization - 1), `document:o${n}`), true);
    },
    'check, three parents above': () => {
      const n = any();
      return check(asked(viewerOfRootAbove(n), `document:d${n}`), true);
    },
    'check, denied': () => check(asked(userOf(5), `document:d${any() + documents}`), false),
    'check, denied below three parents': () => {
      const n = randomInt(1, Math.max(2, Math.floor(documents / PEOPLE))) * PEOPLE;
      return check(asked(idOf('usr', PEOPLE - 1), `document:d${n}`), false);
    },
    'batch of 100': () =>
      call('authorization/check-batch', {
        checks: Array.from({ length: 100 }, () => {
          const n = any();
          return asked(userOf(n), `document:d${n}`);
        }),
      }),
    'list of resources': () =>
      call(`authorization/resources?userId=${userOf(any())}&permission=documents:read&type=document&limit=20`),
    'list of subjects': () => call(`authorization/subjects?resource=document:d${any()}&permission=documents:read`),
  };
  const scansBefore = await sequentialScans();
  const bare = await times(() =>
    database.query({
      name: 'bare',
      text: 'select id from members where workspace_id = $1 and project_id = $2 and environment = $3 and id = $4',
      values: [workspaceId, projectId, 'test', idOf('mem', randomInt(1, PEOPLE))],
    }),
  );
  console.log(`${title}: bare select by primary key: ${shown(bare)}`);
  const rows: [string, Times][] = [['select by a primary key, without Latchkey', bare]];
  for (const [name, measure] of Object.entries(paths)) {
    // biome-ignore lint/performance/noAwaitInLoops: one path at a time
    const measured = await times(measure);
    console.log(`${title}: ${name}: ${shown(measured)}; p50 ${(measured.p50 / bare.p50).toFixed(1)} times the select`);
    rows.push([name, measured]);
  }
  const scans = (await sequentialScans()) - scansBefore;
  console.log(`${title}: sequential scans of relations meanwhile: ${scans}`);
  return page(rows, scans);
}

function page(rows: readonly [string, Times][], scans: number): string {
  const [[, bare] = ['', { p50: Number.NaN }]] = rows;
  const lines = rows.map(
    ([name, { p50, p95, p99 }]) =>
      `| ${name} | ${[p50, p95, p99].map((time) => time.toFixed(1)).join(' | ')} | ${(p50 / bare.p50).toFixed(1)} |`,
  );
  return `
Written by \`npm run bench:relations\`: one request after the other over HTTP, in a project with ${RELATIONS.toLocaleString('en')} relations, ${PEOPLE.toLocaleString('en')} members and ${ORGANIZATIONS.toLocaleString('en')} organizations beside a hundred other projects. The bar for a check is 10 ms at p99 on a machine with nothing else to do. Sequential scans of the relations meanwhile: ${scans}.

| request | p50 ms | p95 ms | p99 ms | p50, times the select |
| --- | ---: | ---: | ---: | ---: |
${lines.join('\n')}
`;
}

async function sequentialScans(): Promise<number> {
  const { rows } = await database.query(
    "select seq_scan from pg_stat_user_tables where relname = 'resource_relations'",
  );
  return Number(rows[0].seq_scan);
}

async function times(measure: () => Promise<unknown>): Promise<Times> {
  for (let round = 0; round < ROUNDS / 10; round += 1) {
    // biome-ignore lint/performance/noAwaitInLoops: warm up
    await measure();
  }
  const durations: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    // biome-ignore lint/performance/noAwaitInLoops: sequential
    await measure();
    durations.push(performance.now() - start);
  }
  durations.sort((a, b) => a - b);
  const at = (share: number) => durations[Math.floor(durations.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

function shown({ p50, p95, p99 }: Times): string {
  return `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
}

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  changeSettings,
  eventsOf,
  eventually,
  managementToken,
  newEmail,
  ownerToken,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
});
after(() => latchkey.stop());

const admin = (path: string, method = 'GET', body?: unknown) =>
  latchkey.api(`/v1/admin/${path}`, { token, method, ...(body !== undefined && { body }) });

let made = 0;
async function newOrganization() {
  made += 1;
  const slug = `import-${made}`;
  const { body } = await admin('organizations', 'POST', { name: slug, slug });
  return { id: String(body.id), slug };
}

type Report = { created: number; unchanged: number; failed: number; report: { outcome: string; errors: unknown[] }[] };

async function imported(rows: unknown[], { by = token, query = '' } = {}): Promise<Report> {
  const text = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n');
  const type = typeof rows[0] === 'string' ? 'text/csv' : 'application/x-ndjson';
  const headers = { 'content-type': type };
  const started = await latchkey.api(`/v1/admin/members/import${query}`, { token: by, body: text, headers });
  assert.equal(started.status, 202, started.text);
  return eventually(async () => {
    const { body } = await admin(`members/import/${started.body.id}?limit=100`);
    assert.equal(body.status, 'completed');
    return body;
  });
}

/** The members of an organization with their roles, by address. */
async function rolesIn(organizationId: string): Promise<Record<string, string[]>> {
  const { body } = await admin(`organizations/${organizationId}/members`);
  return Object.fromEntries(body.items.map(({ email, roles }: { email: string; roles: string[] }) => [email, roles]));
}

const outcomes = ({ report }: Report) => report.map(({ outcome }) => outcome);
const faults = ({ report }: Report) => report.map(({ errors }) => errors);

describe('rows of an import with organizations', () => {
  test('join them by id or slug, with roles, and each has an event', async () => {
    const [first, second] = [await newOrganization(), await newOrganization()];
    const [one, two] = [newEmail(), newEmail()];
    const report = await imported([
      {
        email: one,
        organizations: [{ organization: first.slug, roles: ['owner', 'admin'] }, { organization: second.id }],
      },
      { email: two, organizations: [{ organization: first.id }] },
    ]);
    assert.deepEqual(outcomes(report), ['created', 'created']);
    assert.deepEqual(await rolesIn(first.id), { [one]: ['admin', 'owner'], [two]: [] });
    assert.deepEqual(await rolesIn(second.id), { [one]: [] });
    const { body } = await admin(`members?q=${encodeURIComponent(one)}`);
    const types = await eventsOf(latchkey, body.items[0].userId);
    assert.equal(types.filter((type) => type === 'organization.member.added').length, 2);
  });

  test('from CSV, as JSON in a cell', async () => {
    const { id, slug } = await newOrganization();
    const email = newEmail();
    const cell = `"[{""organization"":""${slug}"",""roles"":[""admin""]}]"`;
    await imported(['email,organizations', `${email},${cell}`]);
    assert.deepEqual(await rolesIn(id), { [email]: ['admin'] });
  });

  test('add members of the project, also those of an earlier row, and change no membership', async () => {
    const [first, second] = [await newOrganization(), await newOrganization()];
    const person = await register(latchkey);
    const email = newEmail();
    const rows = [
      { email: person.email, organizations: [{ organization: first.slug, roles: ['admin'] }] },
      { email, organizations: [{ organization: first.slug }] },
      { email, organizations: [{ organization: second.slug }] },
    ];
    assert.deepEqual(outcomes(await imported(rows)), ['unchanged', 'created', 'unchanged']);
    const again = rows.map((row) => ({
      ...row,
      organizations: row.organizations.map(({ organization }) => ({ organization })),
    }));
    assert.deepEqual(outcomes(await imported(again)), ['unchanged', 'unchanged', 'unchanged']);
    assert.deepEqual(await rolesIn(first.id), { [person.email]: ['admin'], [email]: [] });
    assert.deepEqual(await rolesIn(second.id), { [email]: [] });
  });

  test('fail with reasons, and leave nothing of the row behind', async () => {
    const { id, slug } = await newOrganization();
    const emails = Array.from({ length: 3 }, newEmail);
    const report = await imported([
      { email: emails[0], organizations: [{ organization: 'nowhere' }, { organization: slug, roles: ['nothing'] }] },
      { email: emails[1], organizations: [{ organization: slug }, { organization: id }] },
      { email: emails[2], organizations: [{ organization: 'NO SLUG' }] },
    ]);
    assert.deepEqual(outcomes(report), ['failed', 'failed', 'failed']);
    assert.deepEqual(faults(report), [
      [
        { pointer: '/organizations/0/organization', message: '"nowhere" is not an organization of this project' },
        { pointer: '/organizations/1/roles', message: '"nothing" is not a role of organizations' },
      ],
      [{ pointer: '/organizations/1/organization', message: `"${id}" is named twice` }],
      [{ pointer: '/organizations/0/organization', message: 'is not in the form that this field needs' }],
    ]);
    assert.deepEqual(await rolesIn(id), {});
    assert.equal((await admin(`members?q=${encodeURIComponent(emails[0] ?? '')}`)).body.items.length, 0);
  });

  test('never exceed the maximum of members, with two imports at once', async () => {
    const { id, slug } = await newOrganization();
    await changeSettings(latchkey, { maxOrganizationMembers: 3 });
    const rows = () =>
      Array.from({ length: 4 }, () => ({ email: newEmail(), organizations: [{ organization: slug }] }));
    const reports = await Promise.all([imported(rows()), imported(rows())]);
    await changeSettings(latchkey, { maxOrganizationMembers: 1_000 });
    assert.equal(Object.keys(await rolesIn(id)).length, 3);
    assert.equal(
      reports.reduce((sum, { created }) => sum + created, 0),
      3,
    );
    assert.deepEqual(
      new Set(
        reports
          .flatMap(faults)
          .flat()
          .map((fault) => Object(fault).message),
      ),
      new Set([`"${slug}" has no room for another member`]),
    );
  });

  test('need the permission to add members to organizations, when the rows are imported', async () => {
    const { id, slug } = await newOrganization();
    const by = await managementToken(latchkey, 'members:import members:write');
    const report = await imported([{ email: newEmail(), organizations: [{ organization: slug }] }], { by });
    assert.deepEqual(faults(report), [
      [{ pointer: '', message: 'the person who started the import may not add members to organizations' }],
    ]);
    assert.deepEqual(await rolesIn(id), {});
  });

  test('change nothing in a dry run', async () => {
    const { id, slug } = await newOrganization();
    const rows = [
      { email: newEmail(), organizations: [{ organization: slug }] },
      { email: newEmail(), organizations: [{ organization: 'nowhere' }] },
    ];
    assert.deepEqual(outcomes(await imported(rows, { query: '?dryRun=true' })), ['created', 'failed']);
    assert.deepEqual(await rolesIn(id), {});
  });

  test('are exported as they are imported', async () => {
    const { slug } = await newOrganization();
    const unnamed = (await admin('organizations', 'POST', { name: 'No slug' })).body.id;
    const email = newEmail();
    const organizations = [
      { organization: unnamed, roles: [] },
      { organization: slug, roles: ['admin'] },
    ];
    await imported([{ email, organizations }]);
    const exported = async (by: string) => {
      const { text } = await latchkey.api('/v1/admin/members/export', { token: by });
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .find((row) => row.email === email);
    };
    const row = await exported(token);
    assert.deepEqual(row.organizations, organizations);
    assert.deepEqual(outcomes(await imported([row])), ['unchanged']);
    assert.equal((await exported(await managementToken(latchkey, 'members:import'))).organizations, undefined);
  });
});

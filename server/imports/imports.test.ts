import assert from 'node:assert/strict';
import { type ClientRequest, request as send } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { hash as bcrypt } from '@node-rs/bcrypt';
import { systemCtx } from '#platform/ctx.ts';
import {
  eventsOf,
  eventually,
  expectProblem,
  managementToken,
  newEmail,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { startSecondProcess } from '#tests/second-process.ts';
import { importChunk } from './imports.task.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await managementToken(latchkey);
});
after(() => latchkey.stop());

const NDJSON = 'application/x-ndjson';
const upload = (body: string | Uint8Array, type = NDJSON, query = '', by = token): Promise<TestResponse> =>
  latchkey.api(`/v1/admin/members/import${query}`, { token: by, body, headers: { 'content-type': type } });
const lines = (rows: unknown[]): string => rows.map((row) => JSON.stringify(row)).join('\n');
const read = (id: string, query = ''): Promise<TestResponse> =>
  latchkey.api(`/v1/admin/members/import/${id}${query}`, { token });

/**
 * Imports rows and waits until it is done.
 * @returns the import with its report
 */
async function imported(
  body: string | Uint8Array,
  type = NDJSON,
  query = '',
  by = token,
): Promise<TestResponse['body']> {
  const response = await upload(body, type, query, by);
  assert.equal(response.status, 202, response.text);
  return eventually(async () => {
    const { body: report } = await read(response.body.id, '?limit=100');
    assert.equal(report.status, 'completed');
    return report;
  });
}

async function exported(): Promise<Record<string, unknown>[]> {
  const { status, text } = await latchkey.api('/v1/admin/members/export?passwordHashes=true', { token });
  assert.equal(status, 200, text);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/**
 * An upload that is written bit by bit.
 * @returns the request, and the status of its response once there is one
 */
function slowUpload(type: string): { request: ClientRequest; answered: Promise<number | undefined> } {
  const { host } = new URL(latchkey.system.config.addresses.test.api);
  const request = send({
    host: '127.0.0.1',
    port: host.split(':')[1],
    path: '/v1/admin/members/import',
    method: 'POST',
    headers: { host, authorization: `Bearer ${token}`, 'content-type': type },
  });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    request.once('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
  return { request, answered };
}

const member = async (q: string) =>
  (await latchkey.api(`/v1/admin/members?q=${encodeURIComponent(q)}`, { token })).body.items[0];
const outcomes = (report: TestResponse['body']) => report.report.map(({ outcome }: { outcome: string }) => outcome);

describe('POST /v1/admin/members/import', () => {
  test('imports people with all fields: they are found, sign in with their old password, and their hash is replaced', async () => {
    const email = newEmail();
    const row = {
      email: email.toUpperCase(),
      emailVerified: true,
      phone: '+49 30 7654321',
      username: `imported${Date.now()}`,
      passwordHash: await bcrypt(PASSWORD, { cost: 4 }),
      displayName: 'Grace Hopper',
      middleName: 'Brewster',
      nickname: 'Amazing Grace',
      gender: 'female',
      profile: 'https://navy.example/grace',
      website: 'https://grace.example',
      birthdate: '1906-12-09',
      customData: { rank: 'admiral' },
      roles: ['viewer'],
      metadata: { legacyId: 17 },
      createdAt: '2001-02-03T04:05:06Z',
    };
    const report = await imported(lines([row]));
    assert.deepEqual([report.rows, report.rowsDone, report.created, report.failed], [1, 1, 1, 0]);
    assert.deepEqual(report.report, [{ row: 1, outcome: 'created', errors: [] }]);
    const found = await member('grace hop');
    assert.deepEqual(
      [found.email, found.emailVerified, found.phone, found.username, found.roles, found.metadata],
      [email, true, '+49307654321', row.username, ['viewer'], { legacyId: 17 }],
    );
    const login = await latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password: PASSWORD } });
    assert.equal(login.status, 200, login.text);
    const { body: profile } = await latchkey.api('/v1/me/profile', { token: login.body.access_token });
    assert.deepEqual(
      [profile.birthdate, profile.customData, profile.createdAt],
      ['1906-12-09', { rank: 'admiral' }, '2001-02-03T04:05:06.000Z'],
    );
    const line = (await exported()).find((person) => person['email'] === email);
    assert.match(String(line?.['passwordHash']), /^\$argon2id/);
    const { middleName, nickname, gender, profile: page, website } = row;
    const fields = { middleName, nickname, gender, profile: page, website };
    for (const [name, value] of Object.entries(fields))
      assert.deepEqual([profile[name], line?.[name]], [value, value], name);
    assert.deepEqual((await eventsOf(latchkey, found.userId)).slice(0, 2), ['user.created', 'membership.created']);
  });

  test('CSV with a header line, quotes, line breaks and a byte order mark', async () => {
    const [one, two] = [newEmail(), newEmail()];
    const csv = `\uFEFFemail,displayName,emailVerified,roles,metadata,phone,website\r\n${one},"Doe, ""Jo""\nJr.",TRUE,viewer admin,"{""a"":[1,2]}",,"https://jo.example/?a=1,2"\r\n${two},,no,,,,\r\n`;
    const report = await imported(csv, 'text/csv; charset=utf-8');
    assert.deepEqual(outcomes(report), ['created', 'failed']);
    assert.deepEqual(report.report[1].errors[0].pointer, '/emailVerified');
    const found = await member(one);
    assert.deepEqual(
      [found.displayName, found.emailVerified, found.roles, found.metadata],
      ['Doe, "Jo"\nJr.', true, ['admin', 'viewer'], { a: [1, 2] }],
    );
    const line = (await exported()).find((person) => person['email'] === one);
    assert.equal(line?.['website'], 'https://jo.example/?a=1,2');
  });

  test('existing members stay unchanged, users of the workspace join, the same file again changes nothing', async () => {
    const { email: own } = await register(latchkey, { profile: { displayName: 'Own' } });
    const [, helpdesk] = latchkey.demo.projects;
    const elsewhere = { workspaceId: latchkey.demo.workspaceId, projectId: helpdesk?.id };
    const { email: theirs } = await register(latchkey, { ...elsewhere, profile: { displayName: 'Theirs' } });
    const passwordHash = await bcrypt('a password of somebody else', { cost: 4 });
    const fresh = newEmail();
    const file = lines(
      [own, theirs, fresh, fresh].map((email) => ({ email, displayName: 'Overwritten', passwordHash })),
    );
    const report = await imported(file);
    assert.deepEqual(outcomes(report), ['unchanged', 'joined', 'created', 'unchanged']);
    for (const [email, name] of [
      [own, 'Own'],
      [theirs, 'Theirs'],
    ] as const) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const login = await latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password: PASSWORD } });
      assert.equal(login.status, 200, 'the password is still theirs');
      // The project sees the name, because they have entered it themselves.
      assert.equal((await member(email)).displayName, name);
    }
    assert.deepEqual(outcomes(await imported(file)), Array(4).fill('unchanged'));
  });

  test('each invalid row is reported with its fault, and the others are imported', async () => {
    const good = newEmail();
    const [one, two] = [await register(latchkey), await register(latchkey)];
    await latchkey.api('/v1/me/profile', { token: one.access_token, method: 'PATCH', body: { username: 'torn.one' } });
    const rows = [
      '{"email":',
      '[]',
      '{"email":"a\\u0000b@example.com"}',
      `{"email":"${newEmail()}","metadata":{"note":"\\ud800"}}`,
      lines([{ displayName: 'Nobody' }]),
      lines([{ email: 'nonsense' }]),
      lines([{ email: newEmail(), colour: 'red' }]),
      lines([{ email: newEmail(), passwordHash: 'plain text' }]),
      lines([{ email: newEmail(), passwordHash: '$argon2id$v=19$m=99999999,t=2,p=1$c2FsdHNhbHQ$aGFzaA' }]),
      lines([{ email: newEmail(), roles: ['emperor'] }]),
      lines([{ email: newEmail(), phone: '+1 555' }]),
      lines([{ email: two.email, username: 'torn.one' }]),
      lines([{ email: newEmail(), metadata: { long: 'x'.repeat(17_000) } }]),
      lines([{ email: good }]),
    ];
    const report = await imported(rows.join('\n\n'));
    assert.deepEqual(outcomes(report), [...Array(13).fill('failed'), 'created']);
    for (const { row, outcome, errors } of report.report) assert.equal(errors.length > 0, outcome === 'failed', row);
    assert.deepEqual(report.report[6].errors, [{ pointer: '/colour', message: 'is not a field of a row' }]);
    const failed = await read(report.id, '?outcome=failed&limit=5');
    assert.deepEqual(
      failed.body.report.map(({ row }: { row: number }) => row),
      [1, 2, 3, 4, 5],
    );
    const next = await read(report.id, `?outcome=failed&limit=5&cursor=${failed.body.nextCursor}`);
    assert.deepEqual(
      next.body.report.map(({ row }: { row: number }) => row),
      [6, 7, 8, 9, 10],
    );
    expectProblem(await read(report.id, `?limit=5&cursor=${failed.body.nextCursor}`), 400, 'INVALID_CURSOR');
  });

  test('a dry run gives the same report and changes nothing', async () => {
    const { email } = await register(latchkey);
    const fresh = newEmail();
    const report = await imported(lines([{ email }, { email: fresh }, { email: 'x' }]), NDJSON, '?dryRun=true');
    assert.equal(report.dryRun, true);
    assert.deepEqual(outcomes(report), ['unchanged', 'created', 'failed']);
    assert.equal(await member(fresh), undefined);
  });

  test('a dry run and the import agree on rows of the same person, however far apart', async () => {
    const [, helpdesk] = latchkey.demo.projects;
    const theirs = await register(latchkey, { workspaceId: latchkey.demo.workspaceId, projectId: helpdesk?.id });
    const emails = Array.from({ length: 2_100 }, newEmail);
    const [first] = emails;
    const rows = [
      { email: theirs.email, phone: '+4930111222333' },
      ...emails.map((email, index) => ({ email, username: `far.apart.${index}` })),
      { email: first },
      { email: theirs.email },
      { email: first, username: 'far.apart.1' },
      { phone: '+4930111222333' },
    ];
    const counts = ({ created, joined, unchanged, failed }: TestResponse['body']) => [
      created,
      joined,
      unchanged,
      failed,
    ];
    assert.deepEqual(counts(await imported(lines(rows), NDJSON, '?dryRun=true')), [2_101, 1, 2, 1]);
    assert.deepEqual(counts(await imported(lines(rows))), [2_101, 1, 2, 1]);
    const { rows: left } = await latchkey.system.pool.query(
      'select from member_import_dry_runs where workspace_id = $1',
      [latchkey.demo.workspaceId],
    );
    assert.equal(left.length, 0);
  });

  test('an import cannot grant permissions that its actor lacks', async () => {
    const email = newEmail();
    const narrow = await managementToken(latchkey, 'members:import members:read');
    const report = await imported(lines([{ email, roles: ['owner'] }, { email: newEmail() }]), NDJSON, '', narrow);
    assert.deepEqual(outcomes(report), ['failed', 'created']);
    assert.match(report.report[0].errors[0].message, /grants permissions that the importer does not have/);
  });

  test('400, 403, 413, 415 for invalid uploads; nothing of them is kept', async () => {
    expectProblem(await upload(''), 400, 'VALIDATION_FAILED');
    expectProblem(await upload(new Uint8Array([0x7b, 0xff, 0x7d])), 400, 'VALIDATION_FAILED');
    expectProblem(await upload('email\n"unclosed', 'text/csv'), 400, 'VALIDATION_FAILED');
    expectProblem(await upload(new Uint8Array([0x61, 0x0a, 0xff]), 'text/csv'), 400, 'VALIDATION_FAILED');
    expectProblem(await upload('x'.repeat(200_000)), 400, 'VALIDATION_FAILED');
    expectProblem(await upload('{}', 'application/json'), 415, 'UNSUPPORTED_MEDIA_TYPE');
    const reader = await managementToken(latchkey, 'members:read members:write');
    expectProblem(await upload('{}', NDJSON, '', reader), 403, 'AUTHORIZATION_DENIED');
    expectProblem(
      await latchkey.api('/v1/admin/members', { token, body: '{}', headers: { 'content-type': NDJSON } }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    );
    expectProblem(await read('imp_01kaz3w9hqf8p9n2m4v5x6y7z8'), 404, 'NOT_FOUND');
    const { rowCount } = await latchkey.system.pool.query(
      `select from member_imports where status = 'receiving' and workspace_id = $1`,
      [latchkey.demo.workspaceId],
    );
    assert.equal(rowCount, 0);
  });

  test('a client that sends everything before reading, as browsers do, gets an error raised halfway', async () => {
    const rest = 'someone@example.com,b\n'.repeat(500_000);
    for (const [body, type] of [
      [`email,name\n"a","b","c"\n${rest}`, 'text/csv'],
      [`${'x'.repeat(200_000)}${rest}`, NDJSON],
    ] as const) {
      const { request, answered } = slowUpload(type);
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      await new Promise((sent) => request.end(body, () => sent(undefined)));
      assert.equal(await answered, 400, type);
    }
  });

  for (const [type, rowOf] of [
    [NDJSON, (email: string) => JSON.stringify({ email })],
    ['text/csv', (email: string) => email],
  ] as const) {
    test(`an upload of ${type} that breaks off leaves nothing`, async () => {
      const { request: half, answered } = slowUpload(type);
      answered.catch(() => undefined);
      const rows = Array.from({ length: 1_500 }, (_, n) => rowOf(`half${n}@example.com`));
      half.write(`${[...(type === 'text/csv' ? ['email'] : []), ...rows].join('\n')}\n`);
      const receiving = (count: number) =>
        eventually(async () => {
          const { rowCount } = await latchkey.system.pool.query(
            'select from member_import_chunks where content is not null and workspace_id = $1',
            [latchkey.demo.workspaceId],
          );
          assert.equal(rowCount, count);
        });
      await receiving(1);
      half.destroy();
      await receiving(0);
      assert.equal(await member('half1@example.com'), undefined);
    });
  }

  test('an import accepts no Idempotency-Key, because its body is streamed', async () => {
    const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': 'an-import' };
    const send = (email: string) =>
      latchkey.api('/v1/admin/members/import', { token, body: lines([{ email }]), headers });
    const [first, second] = [await send(newEmail()), await send(newEmail())];
    assert.deepEqual([first.status, second.status], [202, 202], first.text);
    assert.notEqual(second.body.id, first.body.id);
  });

  test('two concurrent imports of the same people add each person once', async () => {
    const file = lines(Array.from({ length: 1_500 }, (_, n) => ({ email: `race${n}@example.com` })));
    const [one, two] = await Promise.all([imported(file), imported(file)]);
    assert.equal(one.created + two.created, 1_500);
    assert.equal(one.unchanged + two.unchanged, 1_500);
    assert.equal(one.failed + two.failed, 0);
  });
});

test('BI-5 an import continues after its process died, and every row is imported once', async () => {
  const alone = await startTestLatchkey({ settings: { LATCHKEY_ROLES: 'auth,api,console' } });
  const own = await managementToken(alone);
  const file = lines(Array.from({ length: 3_500 }, (_, n) => ({ email: `again${n}@example.com` })));
  const { body } = await alone.api('/v1/admin/members/import', {
    token: own,
    body: file,
    headers: { 'content-type': NDJSON },
  });
  const scope = {
    workspaceId: alone.demo.workspaceId,
    projectId: body && alone.demo.projects[0]?.id,
    environment: 'test',
  } as const;
  assert.equal(await importChunk(systemCtx(alone.system, scope, 'test', 'test'), body.id), true);
  const half = await alone.api(`/v1/admin/members/import/${body.id}`, { token: own });
  assert.deepEqual([half.body.status, half.body.rowsDone], ['running', 1_000]);
  const second = await startSecondProcess(alone);
  await eventually(async () => {
    const { body: done } = await alone.api(`/v1/admin/members/import/${body.id}`, { token: own });
    assert.deepEqual([done.status, done.created, done.unchanged, done.failed], ['completed', 3_500, 0, 0]);
  });
  const { rows } = await alone.system.pool.query(
    `select count(*) as all, count(distinct value) as people from identifiers where value like 'again%'`,
  );
  assert.deepEqual(rows[0], { all: 3_500, people: 3_500 });
  const { rows: events } = await alone.system.pool.query(
    `select count(*) as count from events where type = 'membership.created' and correlation_id = $1`,
    [body.id],
  );
  assert.equal(events[0].count, 3_500);
  await second.stop();
  await alone.stop();
});

describe('GET /v1/admin/members/export', () => {
  test('has a row for every member, with hash; an empty installation can import it', async () => {
    const { email } = await register(latchkey, { profile: { displayName: 'Round Trip' } });
    const { id, userId } = await member(email);
    const rows = await exported();
    const { rowCount } = await latchkey.system.pool.query(
      `select from members where project_id = $1 and environment = 'test'`,
      [latchkey.demo.projects[0]?.id],
    );
    assert.equal(rows.length, rowCount);
    const own = rows.find((row) => row['email'] === email) ?? {};
    assert.deepEqual(
      [own['memberId'], own['userId'], own['displayName'], own['status'], own['roles']],
      [id, userId, 'Round Trip', 'active', []],
    );
    const other = await startTestLatchkey({ own: 'the import comes from another installation' });
    const otherToken = await managementToken(other);
    const { body } = await other.api('/v1/admin/members/import', {
      token: otherToken,
      body: lines(rows),
      headers: { 'content-type': NDJSON },
    });
    await eventually(async () => {
      const { body: done } = await other.api(`/v1/admin/members/import/${body.id}?outcome=failed`, {
        token: otherToken,
      });
      assert.deepEqual([done.status, done.report, done.created], ['completed', [], rows.length - 1]);
    });
    const login = await other.auth('/v1/auth/login/password', { body: { identifier: email, password: PASSWORD } });
    assert.equal(login.status, 200);
    await other.stop();
  });

  test('403 without members:import', async () => {
    const reader = await managementToken(latchkey, 'members:read');
    expectProblem(await latchkey.api('/v1/admin/members/export', { token: reader }), 403, 'AUTHORIZATION_DENIED');
  });
});

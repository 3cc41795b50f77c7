import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { firstIdAt } from '#platform/ids.ts';
import { managementToken, register, startTestLatchkey, type TestLatchkey, type TestResponse } from '#tests/harness.ts';
import { signInOperator, teammate } from '#tests/operators.ts';
import { widerWindow } from './member-list.ts';

/** More members than a search scans before it uses the index. */
const CROWD = 2_500;

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await managementToken(latchkey);
});
after(() => latchkey.stop());

const members = (query: string): Promise<TestResponse> => latchkey.api(`/v1/admin/members${query}`, { token });
const found = async (q: string, more = ''): Promise<string[]> => {
  const response = await members(`?q=${encodeURIComponent(q)}${more}`);
  assert.equal(response.status, 200, response.text);
  return response.body.items.map(({ email }: { email: string }) => email);
};

/** Adds members who are newer than all others. */
async function crowd(): Promise<void> {
  const { workspaceId, projects } = latchkey.demo;
  const ahead = (prefix: string) => firstIdAt(prefix, new Date(Date.now() + 86_400_000)).slice(0, -6);
  const values = [workspaceId, projects[0]?.id, ahead('usr'), ahead('mem'), CROWD];
  await latchkey.system.pool.query(
    `with ids as (select lpad(n::text, 6, '0') as n from generate_series(1, $5::integer) n), people as (
       insert into users (workspace_id, environment, id, display_name, search, created_at, updated_at)
       select $1, 'test', $3 || n, 'Filler ' || n, E'\\nfiller ' || n, now(), now() from ids)
     insert into members (workspace_id, project_id, environment, id, user_id, status, created_at)
     select $1, $2, 'test', $4 || n, $3 || n, 'active', now() from ids`,
    values,
  );
}

async function rename(person: { access_token: string }, changes: Record<string, unknown>): Promise<void> {
  const response = await latchkey.api('/v1/me/profile', {
    token: person.access_token,
    method: 'PATCH',
    body: changes,
  });
  assert.equal(response.status, 200, response.text);
}

describe('GET /v1/admin/members?q', () => {
  test('finds a part of any email, phone, username or name, whatever its case and accents', async () => {
    const person = await register(latchkey, { profile: { displayName: 'Åsa Öström-Groß' } });
    await rename(person, {
      username: 'Viking.77',
      givenName: '田中',
      middleName: 'Søren',
      familyName: 'Иванова',
      nickname: 'Ragnarök',
    });
    await latchkey.inProject((tx) =>
      import('#people').then(({ replaceAddress }) =>
        replaceAddress(tx, person.session.userId, { kind: 'phone', value: '+46701234567' }),
      ),
    );
    const { email } = person;
    for (const q of [
      'asa ostrom',
      'ÖSTRÖM',
      'trom-gro',
      'viking.77',
      'KING.7',
      '+4670',
      '1234567',
      '田中 Иван',
      '中 Søren И',
      'ragnarok',
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.deepEqual(await found(q), [email], q);
    }
    assert.deepEqual(await found(email.slice(3, -5)), [email]);
    assert.deepEqual(await found('vi'), [email], 'two characters: how it begins');
    assert.deepEqual(await found('ng'), [], 'two characters find nothing in the middle');
    assert.deepEqual(await found('\u0308'), []);
  });

  test('finds a changed member only by the new name', async () => {
    const person = await register(latchkey, { profile: { displayName: 'Beforehand' } });
    await rename(person, { displayName: 'Afterwards' });
    assert.deepEqual(await found('beforehand'), []);
    assert.deepEqual(await found('afterwards'), [person.email]);
  });

  test('finds members beyond the newest, in order and page by page', async () => {
    const first = await register(latchkey, { profile: { displayName: 'Needle one' } });
    const second = await register(latchkey, { profile: { displayName: 'Needle 100%_two' } });
    await crowd();
    assert.deepEqual(await found('needle'), [second.email, first.email]);
    assert.deepEqual(await found('0%_t'), [second.email], 'wildcards stand for themselves');
    assert.deepEqual(await found('ne'), [second.email, first.email]);
    assert.deepEqual(await found('needle', '&status=active'), [second.email, first.email]);
    assert.deepEqual(await found('needle', '&status=blocked'), []);
    const page = await members('?q=needle&limit=1');
    assert.deepEqual(
      (await members(`?q=needle&limit=1&cursor=${page.body.nextCursor}`)).body.items.map(
        ({ email }: { email: string }) => email,
      ),
      [first.email],
    );
    const many = await members('?q=filler&limit=100');
    assert.equal(many.body.items.length, 100);
    assert.equal(many.body.items[0].displayName, `Filler 00${CROWD}`);
    // The hundredth is the first beyond the newest two thousand.
    const numbered = await members('?q=filler%200005&limit=99');
    const last = await members(`?q=filler%200005&limit=99&cursor=${numbered.body.nextCursor}`);
    assert.deepEqual(
      [numbered.body.items.length, last.body.items[0].displayName, last.body.items.length, last.body.nextCursor],
      [99, 'Filler 000500', 1, null],
    );
  });

  test('finds only the owner of a whole email or phone number, however it is typed', async () => {
    const email = `owner.${Date.now()}@people.example`;
    const bodies = [{ email, phone: '+49 30 1234567' }, { email: `co-${email}` }];
    for (const body of bodies) {
      // biome-ignore lint/performance/noAwaitInLoops: one is newer
      assert.equal((await latchkey.api('/v1/admin/members', { token, body })).status, 201);
    }
    assert.deepEqual(await found(email.toUpperCase()), [email]);
    assert.deepEqual(await found(email.slice(0, -1)), [`co-${email}`, email]);
    assert.deepEqual(await found('+49 (30) 123 45 67'), [email]);
    assert.deepEqual(await found(email, '&status=blocked'), []);
  });

  test('are counted up to a limit, and listed oldest first by pages', async () => {
    const count = async (query: string) => (await members(`/count?${query}`)).body;
    assert.deepEqual(await count('q=filler'), { count: 1_000, more: true });
    const { count: active, more } = await count('status=active');
    assert.ok(active >= CROWD && !more);
    assert.deepEqual(await count('role=nothing'), { count: 0, more: false });
    const { count: owners } = await count('role=owner');
    assert.equal(owners, (await members('?role=owner&limit=100')).body.items.length);
    const first = (await members('?order=oldest&limit=2')).body;
    const second = (await members(`?order=oldest&limit=2&cursor=${first.nextCursor}`)).body;
    const ids = [...first.items, ...second.items].map(({ id }: { id: string }) => id);
    assert.deepEqual(ids, [...new Set(ids)].sort());
    assert.equal((await members(`?limit=2&cursor=${first.nextCursor}`)).body.errorCode, 'INVALID_CURSOR');
  });

  test('a person of another project of the workspace is not found', async () => {
    const [, helpdesk] = latchkey.demo.projects;
    const body = { workspaceId: latchkey.demo.workspaceId, projectId: helpdesk?.id };
    const { email } = await register(latchkey, { ...body, profile: { displayName: 'Elsewhere' } });
    assert.deepEqual(await found(email), []);
  });
});

describe('GET /v1/admin/members, filtered', () => {
  test('by status, role and time together; an unknown role matches nobody', async () => {
    const moment = new Date().toISOString();
    const one = await register(latchkey);
    const [{ id }] = (await members(`?q=${one.email}`)).body.items;
    await latchkey.api(`/v1/admin/members/${id}/roles`, { token, method: 'PUT', body: { roles: ['viewer'] } });
    await latchkey.api(`/v1/admin/members/${id}/block`, { token, method: 'POST' });
    const ids = async (query: string) => (await members(query)).body.items.map((item: { id: string }) => item.id);
    assert.deepEqual(await ids('?status=blocked&role=viewer'), [id]);
    assert.deepEqual(await ids('?status=active&role=viewer'), []);
    assert.ok((await ids(`?createdAfter=${moment}&status=blocked`)).includes(id));
    assert.deepEqual(await ids('?role=no-such-role'), []);
  });

  test('by role page by page, newest first, with a search and a time as well', async () => {
    const { body: role } = await latchkey.api('/v1/admin/roles', { token, body: { key: 'editor', name: 'Editor' } });
    assert.equal(role.key, 'editor');
    const ids: string[] = [];
    for (const displayName of ['Editor oldest', 'Editor middle', 'Editor newest']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { body } = await latchkey.api('/v1/admin/members', {
        token,
        body: { email: `${displayName.replace(' ', '.')}@people.example`, displayName, roles: ['editor', 'viewer'] },
      });
      ids.unshift(body.id);
    }
    const first = (await members('?role=editor&limit=2')).body;
    const second = (await members(`?role=editor&limit=2&cursor=${first.nextCursor}`)).body;
    const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);
    assert.deepEqual([...idsOf(first), ...idsOf(second)], ids);
    assert.deepEqual([second.nextCursor, first.items[0].roles], [null, ['editor', 'viewer']]);
    assert.deepEqual(idsOf((await members('?role=editor&status=active')).body), ids);
    assert.deepEqual(idsOf((await members('?role=editor&q=editor%20mid')).body), [ids[1]]);
    const { createdAt } = second.items[0];
    assert.deepEqual(idsOf((await members(`?role=editor&createdAfter=${createdAt}`)).body), ids.slice(0, 2));
    await latchkey.api(`/v1/admin/members/${ids[0]}/block`, { token, method: 'POST' });
    assert.deepEqual(idsOf((await members('?role=editor&status=active')).body), ids.slice(1));
    assert.deepEqual(idsOf((await members('?role=editor&status=blocked')).body), ids.slice(0, 1));
    assert.deepEqual(idsOf((await members('?role=editor')).body), ids);
  });
});

describe('GET /console/v1/search', () => {
  test('finds projects by a part of their name, and members for those who may see them', async () => {
    const operator = await signInOperator(latchkey);
    const { body } = await operator.call('/console/v1/search?q=elpde');
    assert.deepEqual(
      body.projects.map(({ name }: { name: string }) => name),
      ['Helpdesk'],
    );
    const people = await operator.call('/console/v1/search?q=owner@');
    assert.equal(people.body.members.length, 1);
    const { userId } = (await operator.call(`/console/v1/members/${people.body.members[0].id}`)).body;
    const byId = `/console/v1/search?q=${userId}`;
    assert.deepEqual((await operator.call(byId)).body.members, people.body.members);
    const elsewhere = { headers: { 'x-environment': 'production' } };
    assert.deepEqual((await operator.call(byId, elsewhere)).body.members, []);
    const analyst = await teammate(latchkey, 'analyst');
    const found = await Promise.all(['/console/v1/search?q=owner@', byId].map((path) => analyst.call(path)));
    assert.deepEqual(
      found.map(({ body }) => body.members),
      [[], []],
    );
  });
});

test('a search scans members who should hold twice what is missing, or asks the index where that is too many', () => {
  // Of the first 500 members, `found` matched.
  assert.equal(widerWindow({ found: 19, missing: 2 }), 500, 'two more could be missing from 500 by chance only');
  assert.equal(widerWindow({ found: 10, missing: 11 }), 2_000);
  assert.equal(widerWindow({ found: 2, missing: 16 }), 8_000);
  assert.equal(widerWindow({ found: 2, missing: 17 }), null);
  assert.equal(widerWindow({ found: 0, missing: 21 }), null);
});

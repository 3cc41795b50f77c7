import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { part as account } from '#account';
import { part as hosted } from '#hosted';
import type { Route } from '#platform/route.ts';
import { visitorOf } from '#tests/account.ts';
import { managementToken, ownerToken, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Browser, codeFlow } from '#tests/oidc.ts';
import { operationsIn } from '#tests/operations.ts';
import { PLANTS_TRIGGER } from '#tests/postgres.ts';

/** The tables that a read may write to, and why it changes nothing for the reader. */
const DECLARED: Readonly<Record<string, { tables: readonly string[]; why: string }>> = {
  '/sign-in/:uid/provider/:provider': { tables: ['upstream_flows'], why: 'leaves for a provider; expires unused' },
  '/v1/auth/login/social/:provider/start': { tables: ['upstream_flows'], why: 'leaves for a provider; expires unused' },
  '/sign-in/:uid/passkey-options': { tables: ['passkey_challenges'], why: 'a challenge; expires unanswered' },
  '/account/passkeys/options': { tables: ['passkey_challenges'], why: 'a challenge; expires unanswered' },
  '/v1/admin/members/export': { tables: ['events'], why: 'records who exported the data of others' },
  '/v1/admin/audit-events/export': { tables: ['audit_keys'], why: 'the key that signs it is made with the first one' },
  '/account/authenticator': { tables: ['mfa_factors'], why: 'a seed that counts only when a form confirms it' },
};

/** The system's own background writes. */
const NOISE =
  /^(oidc_records|processes|limits|rate_limits|request_limits|health_.*|status_.*|heartbeats|leases|counters)$/;

let latchkey: TestLatchkey;
let browser: Browser;
let auth: string;
before(async () => {
  latchkey = await startTestLatchkey({ settings: { LATCHKEY_ROLES: 'auth,api,console' } });
  auth = latchkey.system.config.addresses.test.auth;
  ({ browser } = await visitorOf(latchkey, '/security'));
  await latchkey.system.pool.query(`/* all workspaces */
    create table written (name text, kind text);
    create function note_write() returns trigger language plpgsql as
      $$ begin insert into public.written values (tg_table_name, tg_op); return null; end $$;
    do $$ declare t record; begin
      for t in select c.oid::regclass as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'written'
          and n.nspname in ('public', 'graphile_worker')
      loop execute format('create trigger noted after insert or update or delete on %s for each row execute function note_write()', t.name);
      end loop; end $$;`);
});
after(() => latchkey.stop());

/**
 * Reads an address.
 * @returns the tables that were written to
 */
async function written(url: string, headers: Record<string, string> = {}): Promise<string[]> {
  await latchkey.system.pool.query('delete from written');
  const cookie = [...browser.cookies.values()].flatMap((jar) => [...jar].map(([name, value]) => `${name}=${value}`));
  const response = await fetch(url, { redirect: 'manual', headers: { cookie: cookie.join('; '), ...headers } });
  await response.arrayBuffer();
  assert.ok(response.status < 500, `${url} ${response.status}`);
  const { rows } = await latchkey.system.pool.query<{ name: string }>(
    'select distinct name from written order by name',
  );
  return rows.map(({ name }) => name).filter((name) => !NOISE.test(name));
}

/** The paths of the pages below a prefix, which are not in the OpenAPI description. */
function pagesBelow(prefix: string, routes: readonly Route[]): string[] {
  return routes.filter(({ method, path }) => method === 'GET' && path.startsWith(prefix)).map(({ path }) => path);
}

describe('reading changes nothing', { skip: PLANTS_TRIGGER }, () => {
  test('on the account pages of a signed-in person', async () => {
    const paths = pagesBelow('/account', account.routes.auth);
    assert.ok(paths.length > 15, `${paths}`);
    for (const path of paths) {
      // biome-ignore lint/performance/noAwaitInLoops: attributes the writes of each request
      const tables = await written(`${auth}${path.replace(/:\w+/g, 'psk_00000000000000000000000000')}?code=lkc_x`);
      assert.deepEqual(tables, DECLARED[path]?.tables ?? [], path);
    }
  });

  test('on the pages of a sign-in', async () => {
    const flow = await codeFlow(latchkey, { prompt: 'login' });
    const start = await browser.open(flow.url);
    const paths = pagesBelow('/sign-in/:uid', hosted.routes.auth);
    assert.ok(paths.length > 10, `${paths}`);
    for (const path of paths) {
      const url = start.url + path.slice('/sign-in/:uid'.length).replace(':provider', 'dev');
      // biome-ignore lint/performance/noAwaitInLoops: attributes the writes of each request
      assert.deepEqual(await written(url), DECLARED[path]?.tables ?? [], path);
    }
  });

  for (const kind of ['auth', 'api'] as const)
    test(`on every described path of the ${kind} host`, async () => {
      const origin = latchkey.system.config.addresses.test[kind];
      const { access_token: customer, session } = await register(latchkey);
      const owner = await ownerToken(latchkey);
      const management = await managementToken(latchkey);
      const document = await (await fetch(`${origin}/openapi.json`)).json();
      const operations = operationsIn(document, { usr: session.userId }).filter(({ method }) => method === 'GET');
      assert.ok(operations.length > 5, `${operations.length}`);
      const tokenFor = (permission: string | null, path: string) =>
        permission === 'customer' ? customer : path.includes('settings') ? management : owner;
      const faults: string[] = [];
      for (const { path, permission } of operations) {
        // biome-ignore lint/performance/noAwaitInLoops: attributes the writes of each request
        const tables = await written(origin + path, { authorization: `Bearer ${tokenFor(permission, path)}` });
        const key = path.replace(/\?.*/, '').replace(/social\/[^/]+/, 'social/:provider');
        faults.push(
          ...tables.filter((table) => !DECLARED[key]?.tables.includes(table)).map((table) => `${key} ${table}`),
        );
      }
      assert.deepEqual(faults, []);
    });
});

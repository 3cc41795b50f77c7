import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { observeStatements } from '#platform/db.ts';
import { firstIdAt } from '#platform/ids.ts';
import { PASSWORD, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

/** What sign-ins name; the worker runs statements at the same time. */
const OF_SIGN_INS =
  /rate_limits|count_in_order|settle_counts|"?(?:identifiers|passwords|members|mfa_factors|organization_domains|sessions|scope_entries)"? |update "users"|insert into "events"/;

function partition<T>(all: readonly T[], chosen: (one: T) => boolean): [T[], T[]] {
  return [all.filter(chosen), all.filter((one) => !chosen(one))];
}

async function expectSignIn(email: string): Promise<void> {
  const { clientId } = latchkey.demo.environments.test;
  const body = { clientId, identifier: email, password: PASSWORD };
  const { status, text } = await latchkey.auth('/v1/auth/login/password', { body });
  assert.equal(status, 200, text);
}

describe('a sign-in with a password', () => {
  test('waits for five statements, and not for the disk while attempts are counted', async () => {
    const { email } = await register(latchkey);
    await expectSignIn(email);
    const statements: string[] = [];
    const stop = observeStatements((text) => statements.push(text));
    await expectSignIn(email);
    stop();
    const [resets, own] = partition(
      statements.filter((text) => OF_SIGN_INS.test(text)),
      (text) => /delete from rate_limits|settle_counts/.test(text),
    );
    assert.equal(own.length, 5, own.join('\n'));
    assert.equal(resets.length, 1, 'nothing waits for the reset of the counters');
    const counting = own.filter((text) => /rate_limits|count_in_order/.test(text));
    assert.equal(counting.length, 1);
    // The functions of a divided installation set it themselves.
    const UNHURRIED = /set_config\('synchronous_commit', 'off', true\)|count_in_order|settle_counts/;
    for (const text of [...counting, ...resets]) assert.match(text, UNHURRIED);
  });

  test('reads one row to tell whether a source is known, however many sessions the person has', async () => {
    const { email, session } = await register(latchkey);
    const client = new pg.Client(latchkey.databaseUrl);
    await client.connect();
    try {
      await client.query(
        `insert into sessions (workspace_id, environment, id, user_id, amr, acr, auth_time, ip, user_agent, created_at, last_seen_at, expires_at)
         select $1, 'test', $3 || lpad(n::text, 16, '0'), $2, '{pwd}', 'aal1', now(), '198.51.100.7', 'another browser', now(), now(), now()
         from generate_series(1, 20000) as n`,
        [latchkey.demo.workspaceId, session.userId, firstIdAt('ses', new Date()).slice(0, 14)],
      );
      await client.query('analyze sessions');
      const read = async () => {
        await client.query('select pg_stat_clear_snapshot()');
        const { rows } = await client.query(
          `select sum(idx_tup_read)::int as read from pg_stat_user_indexes where relname = 'sessions'`,
        );
        return Number(rows[0].read);
      };
      await expectSignIn(email);
      const before = await read();
      await expectSignIn(email);
      assert.ok((await read()) - before < 1_000);
    } finally {
      await client.end();
    }
  });
});

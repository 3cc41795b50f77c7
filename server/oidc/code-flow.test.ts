import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as client from 'openid-client';
import { observeStatements } from '#platform/db.ts';
import { register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf, codeFlow, signInOn } from '#tests/oidc.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

/** What flows name; the worker runs statements at the same time. */
const OF_FLOWS =
  /oidc_records|"?(?:members|users|identifiers|organization_members|consents|applications|projects|sessions|scope_entries|events)"? /;

/** @returns the statements that ran meanwhile */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  const stop = observeStatements((text) => statements.push(text));
  await work();
  stop();
  return statements.filter((text) => OF_FLOWS.test(text) && !text.includes('/* all workspaces */'));
}

describe('a code flow', () => {
  test('of a browser that is signed in takes three statements to authorize, three for the token, and four to refresh it', async () => {
    const browser = browserOf(latchkey);
    const first = await codeFlow(latchkey);
    await first.finish(await signInOn(latchkey, first, await register(latchkey), browser));
    const flow = await codeFlow(latchkey);
    let page = { url: '', status: 0, text: '' };
    const authorize = await statementsOf(async () => {
      page = await browser.open(flow.url);
    });
    let refreshToken = '';
    const token = await statementsOf(async () => {
      refreshToken = (await flow.finish(page)).refresh_token ?? '';
    });
    const refresh = await statementsOf(() => client.refreshTokenGrant(flow.configuration, refreshToken));
    assert.equal(authorize.length, 3, authorize.join('\n'));
    assert.equal(token.length, 3, token.join('\n'));
    assert.equal(refresh.length, 4, refresh.join('\n'));
  });

  test('OA-2 exactly one of twenty parallel exchanges of a code succeeds', async () => {
    const flow = await codeFlow(latchkey);
    const back = await signInOn(latchkey, flow, await register(latchkey));
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => flow.finish(back)));
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  test('OA-2 a request that is refused uses the code, too', async () => {
    const flow = await codeFlow(latchkey);
    const back = new URL((await signInOn(latchkey, flow, await register(latchkey))).url);
    const { code_verifier } = flow.parameters;
    const form = {
      grant_type: 'authorization_code',
      client_id: latchkey.demo.environments.test.clientId,
      redirect_uri: 'http://localhost:5173/callback',
      code: back.searchParams.get('code') ?? '',
      code_verifier,
    };
    const redeem = async (more: Record<string, string>) => {
      const { body } = await latchkey.auth('/connect/token', { body: new URLSearchParams({ ...form, ...more }) });
      return body.error;
    };
    assert.deepEqual(
      [await redeem({ resource: 'https://api.example/none' }), await redeem({})],
      ['invalid_target', 'invalid_grant'],
    );
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { solveChallenge } from 'altcha-lib/v1';
import {
  changeSettings,
  expectProblem,
  newEmail,
  PASSWORD,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { solve } from '#tests/proof-of-work.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
  await changeSettings(latchkey, { proofOfWork: 'required' });
});
after(() => latchkey.stop());

/** A solved challenge of the demo's first project, or of the one that the query names. */
async function proof(query = ''): Promise<string> {
  const { body } = await latchkey.auth(`/v1/auth/challenge${query}`);
  return payloadOf(body, solve(body));
}

function payloadOf(body: TestResponse['body'], number: number | undefined): string {
  const { algorithm, challenge, salt, signature } = body;
  return Buffer.from(JSON.stringify({ algorithm, challenge, salt, signature, number })).toString('base64');
}

const guarded: Record<string, () => Record<string, unknown>> = {
  '/v1/auth/register': () => ({ email: newEmail(), password: PASSWORD }),
  '/v1/auth/login/password': () => ({ identifier: newEmail(), password: PASSWORD }),
  '/v1/auth/password/forgot': () => ({ identifier: newEmail() }),
  '/v1/auth/login/magic-link': () => ({ email: newEmail() }),
  '/v1/auth/login/email-code': () => ({ email: newEmail() }),
  '/v1/auth/login/phone': () => ({ phone: '+4915112312312' }),
};

describe('where a proof of work is required', () => {
  for (const [path, body] of Object.entries(guarded)) {
    test(`${path} requires a solved challenge, which works once`, async () => {
      expectProblem(await latchkey.auth(path, { body: body() }), 400, 'VALIDATION_FAILED');
      expectProblem(await latchkey.auth(path, { body: { ...body(), proof: 'bm9uZQ==' } }), 400, 'INVALID_TOKEN');
      const solved = await proof();
      const response = await latchkey.auth(path, { body: { ...body(), proof: solved } });
      assert.ok([200, 202, 401].includes(response.status), response.text);
      expectProblem(await latchkey.auth(path, { body: { ...body(), proof: solved } }), 400, 'INVALID_TOKEN');
    });
  }

  test('only one of twenty parallel uses of a solution is accepted', async () => {
    const solved = await proof();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () =>
        latchkey.auth('/v1/auth/login/email-code', { body: { email: newEmail(), proof: solved } }),
      ),
    );
    assert.equal(responses.filter(({ status }) => status === 202).length, 1);
  });

  test('a solution of another project is refused', async () => {
    const [, other] = latchkey.demo.projects;
    const solved = await proof(`?workspaceId=${latchkey.demo.workspaceId}&projectId=${other?.id}`);
    const response = await latchkey.auth('/v1/auth/login/email-code', { body: { email: newEmail(), proof: solved } });
    expectProblem(response, 400, 'INVALID_TOKEN');
  });

  test('a solution in the form that the widget sends is accepted', async () => {
    const { body } = await latchkey.auth('/v1/auth/challenge');
    const { algorithm, challenge, salt, maxnumber } = body;
    const solution = await solveChallenge(challenge, salt, algorithm, maxnumber).promise;
    const solved = payloadOf(body, solution?.number);
    const response = await latchkey.auth('/v1/auth/login/email-code', { body: { email: newEmail(), proof: solved } });
    assert.equal(response.status, 202, response.text);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LogEntry } from './log-entries.ts';
import { judgeElastic, judgeOtlp } from './verdicts.ts';

const ENTRY: LogEntry = {
  workspaceId: 'wrk_01kaz3w9hqf8p9n2m4v5x6y7z8',
  projectId: 'prj_01kaz3w9hqf8p9n2m4v5x6y7z8',
  environment: 'test',
  id: 'evt_01kaz3w9hqf8p9n2m4v5x6y7z8',
  sequence: 1,
  occurredAt: '2026-01-31T09:00:00.000Z',
  action: 'user.logout',
  actor: null,
  resources: [],
  correlationId: null,
  data: null,
  hash: '',
};
const ENTRIES = [ENTRY, { ...ENTRY, sequence: 2 }];
const FAULT = { statusCode: 200, error: 'responded with 200', responseSnippet: null };

const replyOf = (body: unknown) => ({
  status: 200,
  text: typeof body === 'string' ? body : JSON.stringify(body),
  retryAfter: null,
  quote: (part: string) => part,
});
const created = { create: { status: 201 } };

describe('a response of 200 to a bulk request does not count as accepted if', () => {
  const cases: Record<string, unknown> = {
    'it is not JSON': '<html>',
    'it is null': null,
    'it lists no items': { took: 1 },
    'it lists fewer items than were sent': { items: [created] },
    'an item has no status': { items: [created, { create: {} }] },
    'an item is the result of another operation': { items: [created, { index: { status: 201 } }] },
    'a status is none of HTTP': { items: [created, { create: { status: 1e12 } }] },
  };
  for (const [what, body] of Object.entries(cases))
    test(what, () => {
      assert.equal(judgeElastic(replyOf(body), ENTRIES, FAULT)?.kind, 'failed');
    });
});

describe('a response of 200 to OTLP', () => {
  for (const count of [0, -1, 0.5, '0', 'NaN', null, {}])
    test(`that rejects ${JSON.stringify(count)} records accepts all`, () => {
      const body = { partialSuccess: { rejectedLogRecords: count } };
      assert.deepEqual(judgeOtlp(replyOf(body), ENTRIES, FAULT), { kind: 'accepted', refused: [] });
    });

  test('that rejects all records refuses the request', () => {
    const body = { partialSuccess: { rejectedLogRecords: '2', errorMessage: 'too old' } };
    assert.deepEqual(judgeOtlp(replyOf(body), ENTRIES, FAULT), {
      kind: 'refused',
      fault: { ...FAULT, error: '2 of 2 records rejected: too old' },
    });
  });
});

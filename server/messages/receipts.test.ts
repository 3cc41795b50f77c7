import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reporter } from './receipt-signatures.ts';
import { receiptOf } from './receipts.ts';

const twilio = (MessageStatus: string, ErrorCode: string) => ({ MessageStatus, ErrorCode });
const vonage = (status: string, code: string) => ({ status, 'err-code': code });

const REPORTS: [reporter: Reporter, fields: Record<string, string>, fault: 'refused' | 'unreached' | null][] = [
  ['twilio', twilio('undelivered', '30005'), 'refused'],
  ['twilio', twilio('failed', '21610'), 'refused'],
  ['twilio', twilio('undelivered', '30003'), 'unreached'],
  ['twilio', twilio('failed', '30002'), null],
  ['vonage', vonage('failed', '9'), 'refused'],
  ['vonage', vonage('expired', '2'), 'unreached'],
  ['vonage', vonage('rejected', '6'), null],
  ['generic', { status: 'rejected', error: 'unknown number', fault: 'number' }, 'refused'],
  ['generic', { status: 'failed', error: 'no credit', fault: 'carrier' }, null],
  ['generic', { status: 'expired' }, 'unreached'],
  // What one carrier says is no fault of the number for another.
  ['vonage', { ...vonage('failed', '1'), fault: 'number' }, 'unreached'],
  ['generic', { status: 'failed', error: '30005' }, 'unreached'],
];

test('a report says whether the number, the moment or the carrier is at fault', () => {
  for (const [reporter, fields, fault] of REPORTS) {
    const stated = receiptOf(reporter, fields);
    assert.ok(stated && !stated.delivered);
    assert.equal(stated.fault, fault, JSON.stringify(fields));
  }
  assert.deepEqual(receiptOf('vonage', vonage('delivered', '0')), { delivered: true });
  for (const step of ['sent', 'buffered', '', 'DELIVERED']) assert.equal(receiptOf('generic', { status: step }), null);
});

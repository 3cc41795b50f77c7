import type { Report, Reporter } from './receipt-signatures.ts';
import { TWILIO_NUMBER_CODES } from './sms.ts';

/**
 * What a carrier reports of a message. `fault`: whether the number can never be reached, or was not reached this time; null
 * if the carrier or the sender is at fault.
 */
export type Receipt = { delivered: true } | { delivered: false; detail: string; fault: 'refused' | 'unreached' | null };

const FAILED = ['undelivered', 'failed', 'rejected', 'expired'];

/**
 * The codes whose fault is known. `number`: the number does not exist, is no mobile number, or has opted out. `carrier`: queues,
 * filters, accounts and registrations, which say nothing about the number. Any other code means that this message did not
 * arrive.
 */
const CODES: Readonly<Record<Reporter, { number: readonly string[]; carrier: readonly string[] }>> = {
  twilio: {
    number: [...TWILIO_NUMBER_CODES.map(String), '30005', '30006'],
    carrier: ['30001', '30002', '30007', '30032', '30034', '30410'],
  },
  vonage: { number: ['3', '4', '9'], carrier: ['6', '8', '10', '11', '99'] },
  // It says `fault: "number"` or `"carrier"` in its report.
  generic: { number: [], carrier: [] },
};

/** What a report states; null for an intermediate step. */
export function receiptOf(reporter: Reporter, fields: Report['fields']): Receipt | null {
  const status = (reporter === 'twilio' ? fields['MessageStatus'] : fields['status']) ?? '';
  if (status === 'delivered') return { delivered: true };
  if (!FAILED.includes(status)) return null;
  const code = fields['ErrorCode'] ?? fields['err-code'] ?? fields['error'] ?? 'no reason given';
  return { delivered: false, detail: `${status}: ${code}`, fault: faultOf(reporter, code, fields) };
}

function faultOf(reporter: Reporter, code: string, { fault }: Report['fields']): 'refused' | 'unreached' | null {
  const { number, carrier } = CODES[reporter];
  const own = reporter === 'generic' ? fault : undefined;
  if (number.includes(code) || own === 'number') return 'refused';
  return carrier.includes(code) || own === 'carrier' ? null : 'unreached';
}

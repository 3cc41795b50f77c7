import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Loaded at first use. */
const calculator = (): typeof import('sms-segments-calculator') => require('sms-segments-calculator');

/** The encoding of a text: the GSM 7-bit alphabet (3GPP TS 23.038), or UCS-2 for any other character. */
export type Segments = { encoding: 'GSM-7' | 'UCS-2'; segments: number };

/** Counts the segments of a text. GSM-7: 160 septets, or 153 per segment of several. UCS-2: 70 or 67 code units. */
export function segmentsOf(text: string): Segments {
  const message = new (calculator().SegmentedMessage)(text);
  return {
    encoding: message.getEncodingName() === 'GSM-7' ? 'GSM-7' : 'UCS-2',
    segments: Math.max(1, message.segmentsCount),
  };
}

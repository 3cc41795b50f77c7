import calculator from 'sms-segments-calculator';

/** How a text travels: in the GSM 7-bit alphabet (3GPP TS 23.038), or in UCS-2 where it holds anything else. */
export type Segments = { encoding: 'GSM-7' | 'UCS-2'; segments: number };

/** Counts the segments of a text: 160 septets, or 153 of each of several; 70 or 67 code units in UCS-2. */
export function segmentsOf(text: string): Segments {
  const message = new calculator.SegmentedMessage(text);
  return {
    encoding: message.getEncodingName() === 'GSM-7' ? 'GSM-7' : 'UCS-2',
    segments: Math.max(1, message.segmentsCount),
  };
}

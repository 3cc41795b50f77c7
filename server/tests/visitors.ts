let sources = 0;

/** The header of a source that no other request of the tests comes from. */
export function elsewhere(): { 'x-forwarded-for': string } {
  sources += 1;
  return { 'x-forwarded-for': `198.18.${sources >> 8}.${sources & 255}` };
}

let numbers = 0;

/** A mobile number that no other test has, in a block of its own. */
export function newMobile(): string {
  numbers += 1;
  return `+4915${String(20_000_000 + numbers * 10_000 + numbers).padStart(9, '0')}`;
}

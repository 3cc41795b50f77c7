/** The checks of a message, in the order of `docs/saml.md`. */
export const CHECKS = [
  'xml',
  'metadata',
  'status',
  'signature',
  'encryption',
  'assertions',
  'issuer',
  'destination',
  'in_response_to',
  'recipient',
  'audience',
  'time',
  'subject',
  'replay',
] as const;
export type Check = (typeof CHECKS)[number];

/** A message of an identity provider that was refused. The text is for administrators. */
export class SamlFault extends Error {
  override readonly name = 'SamlFault';
  readonly check: Check;

  constructor(check: Check, message: string, cause?: unknown) {
    super(message, { cause });
    this.check = check;
  }
}

/** Patterns of a header that a customer chooses (RFC 9110 §5.1, §5.5): its name, and a value of visible ASCII. */
export const HEADER_NAME = "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$";
export const HEADER_VALUE = '[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?';

const RESERVED =
  /^(host|content-(length|type|encoding)|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|date|user-agent|x-correlation-id|traceparent|tracestate)$/i;

/** True for a header of the message, the connection or the trace, which Latchkey sets (RFC 9110 §7.6.1). */
export function isReservedHeader(name: string): boolean {
  return RESERVED.test(name);
}

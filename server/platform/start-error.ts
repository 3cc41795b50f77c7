/** A fault that keeps Latchkey from starting and that a person can mend: the message says how, so it is shown without a trace. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}

/**
 * An error that prevents the start and that a person can fix. Its message gives the remedy, so no stack trace is shown.
 */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}

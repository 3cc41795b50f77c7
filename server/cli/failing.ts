import type { Values } from '#platform/config-reader.ts';
import { type Announcer, announcerFor } from './announcer.ts';

/** Runs a command. Prints a fault that a person can fix as a message, any other with its trace; exits with status 1. */
export async function failing(overrides: Values, command: (announcer: Announcer) => Promise<void>): Promise<void> {
  const announcer = announcerFor(overrides);
  try {
    await command(announcer);
  } catch (error) {
    announcer.fail(error);
    process.exit(1);
  }
}

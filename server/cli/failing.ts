import { ConfigError } from '#platform/config.ts';
import { AlreadyRunningError } from '#platform/data-dir.ts';

/** Runs a command; a fault that a person can mend is told in its own words, another with its trace. Ends with status 1. */
export async function failing(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    const plain = error instanceof ConfigError || error instanceof AlreadyRunningError || isPortTaken(error);
    process.stderr.write(`${plain && error instanceof Error ? explain(error) : error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  }
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

function explain(error: Error): string {
  return isPortTaken(error) ? `${error.message}. Another program, or another Latchkey, listens there; set LATCHKEY_PORT_BASE to other ports.` : error.message;
}

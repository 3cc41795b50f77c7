import { isIP } from 'node:net';
import { loadConfig } from '#platform/config.ts';
import { StartError } from '#platform/start-error.ts';
import { failing } from './failing.ts';

const TIMEOUT_MS = 4_000;

/** Asks the Latchkey on this machine whether it can serve: prints its response, and exits with 1 if it cannot. */
export async function ready(overrides: Record<string, string | undefined>): Promise<void> {
  await failing(overrides, async () => {
    const { internalHost, ports } = loadConfig(undefined, overrides);
    // Who listens on all addresses listens on this one.
    const host = ['0.0.0.0', '::'].includes(internalHost) ? '127.0.0.1' : internalHost;
    const url = `http://${isIP(host) === 6 ? `[${host}]` : host}:${ports.internal}/readyz`;
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((cause: unknown) => {
      throw new StartError(`Nothing responds at ${url}. Is Latchkey running?`, { cause });
    });
    process.stdout.write(`${await response.text()}\n`);
    if (!response.ok) process.exit(1);
  });
}

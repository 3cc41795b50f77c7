import { Registry } from 'prom-client';
import { createConsoleHost } from '#hosts';
import type { TestLatchkey } from './harness.ts';

/** The console host in production mode, without a listener. */
export async function startProductionConsole({
  system,
}: TestLatchkey): Promise<{ get: (url: string) => Promise<number>; stop: () => Promise<void> }> {
  const app = await createConsoleHost({
    ...system,
    metrics: new Registry(),
    config: { ...system.config, mode: 'production' },
  });
  const { host } = new URL(system.config.addresses.console);
  return { get: async (url) => (await app.inject({ url, headers: { host } })).statusCode, stop: () => app.close() };
}

import { Registry } from 'prom-client';
import { createConsoleHost, createStatusDomains } from '#hosts';
import type { TestLatchkey } from './harness.ts';

/** The console host in production mode, without a listener. */
export async function startProductionConsole({
  system,
}: TestLatchkey): Promise<{ get: (url: string) => Promise<number>; stop: () => Promise<void> }> {
  const own = { ...system, metrics: new Registry(), config: { ...system.config, mode: 'production' as const } };
  const app = await createConsoleHost(own, await createStatusDomains(own));
  const { host } = new URL(system.config.addresses.console);
  return { get: async (url) => (await app.inject({ url, headers: { host } })).statusCode, stop: () => app.close() };
}

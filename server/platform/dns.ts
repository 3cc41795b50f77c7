import { Resolver } from 'node:dns/promises';
import { perSystem, type System } from './system.ts';

/** What a look-up found: texts (none where the name or the record does not exist), or that nobody could say. */
export type FoundTexts = { answered: true; texts: string[] } | { answered: false; reason: string };

/** The name, or the record, does not exist: a certain answer (RFC 2308 §2). */
const ABSENT = ['ENODATA', 'ENOTFOUND'];

const resolvers = perSystem(({ config }) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (config.dnsServers.length > 0) resolver.setServers(config.dnsServers);
  return resolver;
});

/** Asks for the TXT records of a name, following aliases. The parts of a record are put together (RFC 7208 §3.3). */
export async function lookUpTexts(system: System, name: string): Promise<FoundTexts> {
  try {
    const records = await resolvers(system).resolveTxt(name);
    return { answered: true, texts: records.map((parts) => parts.join('')) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return ABSENT.includes(code) ? { answered: true, texts: [] } : { answered: false, reason: code };
  }
}

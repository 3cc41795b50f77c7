import { Resolver } from 'node:dns/promises';
import { perSystem, type System } from './system.ts';

/** The result of a look-up: the texts (empty if the name or record does not exist), or that no resolver responded. */
export type FoundTexts = { answered: true; texts: string[] } | { answered: false; reason: string };

/** The name or the record does not exist; the response is definite (RFC 2308 §2). */
const ABSENT = ['ENODATA', 'ENOTFOUND'];

const resolvers = perSystem(({ config }) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (config.dnsServers.length > 0) resolver.setServers(config.dnsServers);
  return resolver;
});

/**
 * Looks up the TXT records of a name, following aliases. The strings of one record are concatenated (RFC 7208 §3.3).
 */
export async function lookUpTexts(system: System, name: string): Promise<FoundTexts> {
  try {
    const records = await resolvers(system).resolveTxt(name);
    return { answered: true, texts: records.map((parts) => parts.join('')) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return ABSENT.includes(code) ? { answered: true, texts: [] } : { answered: false, reason: code };
  }
}

import { type Static, Type } from 'typebox';
import type { Ctx } from '#platform/ctx.ts';
import { outbound } from '#platform/fetch.ts';
import { problem } from '#platform/problem.ts';
import { nullable } from '#platform/schemas.ts';
import type { System } from '#platform/system.ts';
import { SamlFault, serviceProviders } from '#saml';

export type ServiceProviderDescription = ReturnType<typeof serviceProviders.parse>;

/** The last reading of the metadata at an address. */
export const Reading = Type.Object({
  readAt: nullable(Type.String()),
  /** When they are read again. */
  dueAt: Type.String(),
  fault: nullable(Type.String()),
  /** What they said when they were last understood; null where an earlier version read them. */
  read: nullable(serviceProviders.Description),
});
export type Reading = Static<typeof Reading>;

/** What metadata say. `url`: where they were read; null: they were pasted. */
export type Described = { provider: ServiceProviderDescription; url: string | null };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What is noted when metadata were read; null for pasted ones. */
export function readingOf({ provider, url }: Described, now: Date): Reading | null {
  if (url === null) return null;
  const dueAt = new Date(now.getTime() + DAY_MS).toISOString();
  return { readAt: now.toISOString(), dueAt, fault: null, read: provider };
}

/** What is noted when metadata could not be read or used: they are read again after an hour. */
export function failedReading(before: Reading | null | undefined, fault: string, now: Date): Reading {
  const { readAt = null, read = null } = before ?? {};
  return { readAt, read, fault: fault.slice(0, 300), dueAt: new Date(now.getTime() + HOUR_MS).toISOString() };
}

/**
 * Reads the metadata that an administrator gives, before the change becomes a transaction.
 * @param known the address of the metadata so far
 * @throws Problem VALIDATION_FAILED
 */
export async function describedServiceProvider(
  { system }: Pick<Ctx, 'system'>,
  written: { metadata?: string; metadataUrl?: string | null; refresh?: true },
  known: string | null,
): Promise<Described | null> {
  const { metadata, metadataUrl, refresh } = written;
  const given = (['metadata', 'metadataUrl', 'refresh'] as const).filter((name) => written[name] !== undefined);
  const [first, second] = given;
  if (second) throw invalid(second, `is given beside ${first}`);
  const url = refresh ? known : metadataUrl;
  if (refresh && !url) throw invalid('refresh', 'needs a metadataUrl');
  try {
    if (url) return { provider: await fetchServiceProvider(system, url), url };
    return metadata === undefined ? null : { provider: parsed(system, metadata), url: null };
  } catch (error) {
    throw invalid(first ?? 'metadata', (error instanceof Error ? error.message : 'failed').slice(0, 300));
  }
}

function invalid(name: string, message: string) {
  return problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: `/body/saml/${name}`, message }] } });
}

/**
 * The service provider whose metadata are at an address.
 * @throws SamlFault, or the error of the connection
 */
export async function fetchServiceProvider(system: System, url: string): Promise<ServiceProviderDescription> {
  const accept = 'application/samlmetadata+xml, application/xml';
  const response = await outbound(system, url, { headers: { accept } });
  if (!response.ok) throw new SamlFault('metadata', `The address responded with status ${response.status}.`);
  return parsed(system, await response.text());
}

/** Addresses without TLS are judged by the rule for redirect addresses. */
function parsed({ clock }: System, text: string): ServiceProviderDescription {
  return serviceProviders.parse(text, { now: clock.now(), insecure: true });
}

import type { Environment } from '#api/client.ts';

/** An address of the public status, which is about production where nothing else is said. */
export function pageAddress(environment: Environment | null, path = '/status'): string {
  return environment === 'test' ? `${path}?environment=test` : path;
}

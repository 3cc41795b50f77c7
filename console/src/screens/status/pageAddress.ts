import type { Environment } from '#api/client.ts';

/** An address of the public status; without a parameter it shows production. */
export function pageAddress(environment: Environment | null, path = '/status'): string {
  return environment === 'test' ? `${path}?environment=test` : path;
}

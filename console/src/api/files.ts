import type { Scope } from './client.ts';
import { signedInFor } from './session.ts';

export type SavedFile = {
  /** Relative to `/console/v1`. */
  path: string;
  query?: Record<string, string | undefined>;
  dangerous?: boolean;
};

/**
 * Lets the browser stream an export to a file, so the page does not hold it in memory.
 * @returns false if the person had to sign in again and did not
 */
export async function saveFile(scope: Scope, { path, query = {}, dangerous = false }: SavedFile): Promise<boolean> {
  if (!(await signedInFor(dangerous ? 'dangerous' : 'usual'))) return false;
  const pairs = Object.entries({ ...query, ...scope }).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const link = document.createElement('a');
  link.href = `/console/v1${path}?${new URLSearchParams(pairs)}`;
  link.download = '';
  link.click();
  return true;
}

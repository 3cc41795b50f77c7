import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Source } from './source.ts';

/** Where backups are kept. */
export type Place = {
  /** Stores a backup, which appears under its name only when it is complete. */
  store: (name: string, content: Readable, signal?: AbortSignal) => Promise<void>;
  open: (name: string) => Promise<Source>;
  /** The names of the backups there, the newest last. */
  list: () => Promise<string[]>;
  remove: (name: string) => Promise<void>;
  /** Removes what interrupted backups left behind more than a day before `now`. */
  removeRemains: (now: Date) => Promise<void>;
};

/** The name for a backup that begins now. Names sort by time; two processes never choose the same. */
export function nameOfBackup(now: Date): string {
  const time = now.toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
  return `latchkey-${time}-${randomBytes(4).toString('hex')}.zip.age`;
}

const NAME = /^latchkey-\d{8}T\d{6}Z-[0-9a-f]{8}\.zip\.age$/;

export function isNameOfBackup(name: string): boolean {
  return NAME.test(name);
}

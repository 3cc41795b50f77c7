import { isAbsolute } from 'node:path';
import { Cron } from 'croner';
import type { ConfigReader } from './config-reader.ts';

/** How backups are encrypted, kept and made. */
export type BackupConfig = {
  /** Keys in the age format: the first encrypts, all secret ones decrypt. Empty: backups to a file stay readable. */
  keys: readonly string[];
  /** A folder, or an S3-compatible storage (`s3://…`). Null: backups only go where a command says. */
  to: string | null;
  /** When the worker makes backups and verifies the newest, as cron expressions in UTC. Null: never. */
  schedule: string | null;
  verifySchedule: string | null;
  /** The number of backups that are kept, and after how many days they are removed (null: by number only). */
  keep: number;
  keepDays: number | null;
};

const KEY = /^(?:AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]+|age1[0-9a-z]+)$/;
const MAX_DAYS = 36_500;

export function readBackup(reader: ConfigReader): BackupConfig {
  const read = {
    keys: keys(reader),
    to: place(reader),
    schedule: schedule(reader, 'LATCHKEY_BACKUP_SCHEDULE'),
    verifySchedule: schedule(reader, 'LATCHKEY_BACKUP_VERIFY_SCHEDULE'),
    keep: reader.integer('LATCHKEY_BACKUP_KEEP', { from: 1, to: 10_000, fallback: 30 }),
    keepDays: keepDays(reader),
  };
  if (read.to !== null)
    reader.require('LATCHKEY_BACKUP_KEY', 'a key that encrypts the backups. Make one with: latchkey backup-key');
  if (read.schedule !== null || read.verifySchedule !== null)
    reader.require('LATCHKEY_BACKUP_TO', 'a folder or an S3-compatible storage, because a schedule is given');
  if (read.verifySchedule !== null && read.keys.length > 0 && !read.keys.some((key) => key.startsWith('AGE-SECRET')))
    reader.fault('LATCHKEY_BACKUP_KEY', 'a secret key (AGE-SECRET-KEY-…), because verifying a backup decrypts it');
  return read;
}

/** Also reads the file that `age-keygen` writes, with its comments. */
function keys(reader: ConfigReader): string[] {
  const lines = (reader.text('LATCHKEY_BACKUP_KEY') ?? '').split(/[\n,]/).map((line) => line.trim());
  const found = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (found.some((key) => !KEY.test(key)))
    reader.fault(
      'LATCHKEY_BACKUP_KEY',
      'keys of age, separated by commas: AGE-SECRET-KEY-1… or, to encrypt only, age1…. Make one with: latchkey backup-key',
    );
  return found;
}

function place(reader: ConfigReader): string | null {
  const value = reader.text('LATCHKEY_BACKUP_TO');
  if (value === null || isAbsolute(value)) return value;
  const url = URL.parse(value);
  const isStorage =
    url?.protocol === 's3:' &&
    [url.hostname, url.username, url.password].every(Boolean) &&
    /^\/[^/]+/.test(url.pathname);
  if (isStorage) return value;
  reader.fault(
    'LATCHKEY_BACKUP_TO',
    'the absolute path of a folder, or s3://KEY:SECRET@s3.eu-central-1.amazonaws.com/bucket/prefix?region=eu-central-1. Characters that addresses reserve must be percent-encoded in key and secret',
  );
  return null;
}

function schedule(reader: ConfigReader, name: string): string | null {
  const value = reader.text(name);
  if (value === null) return null;
  try {
    if (value.split(/\s+/).length === 5 && new Cron(value, { timezone: 'UTC' }).nextRun() !== null) return value;
  } catch {
    // Reported below.
  }
  reader.fault(name, 'a cron expression of five fields, in UTC, such as 0 3 * * * for every night at three');
  return null;
}

function keepDays(reader: ConfigReader): number | null {
  const days = reader.integer('LATCHKEY_BACKUP_KEEP_DAYS', { from: 1, to: MAX_DAYS, fallback: MAX_DAYS });
  return reader.text('LATCHKEY_BACKUP_KEEP_DAYS') === null ? null : days;
}

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';
import type { Transition } from './automatic.ts';
import type { Check } from './checks.ts';
import type { Health } from './health.ts';
import type { AllStored } from './stored.ts';
import type { Spans } from './uptime.ts';

/** A custom component and its check. */
export type CheckedComponent = { id: string; check: Check; heartbeatAt: string | null };

/** The state that a process restores after a restart, also while the database is down. */
export type Snapshot = {
  version: 1;
  savedAt: string;
  /** When `stored` was read. */
  knownAt: string;
  stored: AllStored;
  checks: Record<Environment, CheckedComponent[]>;
  health: Record<Environment, Record<string, Health>>;
  /** Changes that are not yet stored in the database. */
  pending: Record<Environment, (Omit<Transition, 'since'> & { since: string })[]>;
  /** Minutes that are not yet stored in the database. */
  spans: Spans;
};

function fileOf(system: System): string {
  return join(system.config.dataDir, 'status.json');
}

/** Reads the snapshot; null when it is missing or unusable. */
export async function readSnapshot(system: System): Promise<Snapshot | null> {
  try {
    const saved: Snapshot = JSON.parse(await readFile(fileOf(system), 'utf8'));
    return saved.version === 1 ? saved : null;
  } catch {
    return null;
  }
}

/** Saves atomically: a reader finds the old snapshot or the new one. */
export async function saveSnapshot(system: System, snapshot: Snapshot): Promise<void> {
  const path = fileOf(system);
  const draft = `${path}.${process.pid}`;
  try {
    await mkdir(system.config.dataDir, { recursive: true });
    await writeFile(draft, JSON.stringify(snapshot), { mode: 0o600 });
    await rename(draft, path);
  } catch (error) {
    system.log.warn({ err: error }, 'the status could not be saved to its file');
  }
}

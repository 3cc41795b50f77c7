import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';
import type { Transition } from './automatic.ts';
import type { Check } from './checks.ts';
import type { Health } from './health.ts';
import type { AllStored } from './stored.ts';
import type { Spans } from './uptime.ts';

/** A component of the operator's own and how it is checked. */
export type CheckedComponent = { id: string; check: Check; heartbeatAt: string | null };

/** What a process needs to go on where it stopped, also while the database is away. */
export type Snapshot = {
  version: 1;
  savedAt: string;
  /** When `stored` was read. */
  knownAt: string;
  stored: AllStored;
  checks: Record<Environment, CheckedComponent[]>;
  health: Record<Environment, Record<string, Health>>;
  /** Changes that could not be written to the database yet. */
  pending: Record<Environment, (Omit<Transition, 'since'> & { since: string })[]>;
  /** Minutes that could not be written to the database yet. */
  spans: Spans;
};

function fileOf(system: System): string {
  return join(system.config.dataDir, 'status.json');
}

/** Reads what was saved; null where there is nothing that can be used. */
export async function readSnapshot(system: System): Promise<Snapshot | null> {
  try {
    const saved: Snapshot = JSON.parse(await readFile(fileOf(system), 'utf8'));
    return saved.version === 1 ? saved : null;
  } catch {
    return null;
  }
}

/** Saves in one step: a reader finds the old one or the new one, whole. */
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

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Offsets from a base at which Latchkey listens. */
const OFFSETS = [0, 1, 2, 11, 12, 90];
/** The offset at which the owner of a block listens. */
const TAKEN = 99;

/**
 * Finds a base whose ports are free, and reserves it until this process ends: it listens at the last port of the block,
 * so that no other process takes it, also between a stop and a start.
 */
export async function freePortBase(): Promise<number> {
  for (;;) {
    // Below the range of ephemeral ports.
    const base = 10_000 + Math.floor(Math.random() * 220) * 100;
    // biome-ignore lint/performance/noAwaitInLoops: one candidate after the other
    const taken = await listenAt(base + TAKEN);
    if (!taken) continue;
    const free = await Promise.all(OFFSETS.map((offset) => isFree(base + offset)));
    if (free.every(Boolean)) return base;
    taken.close();
  }
}

function listenAt(port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer().unref();
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

async function isFree(port: number): Promise<boolean> {
  const server = await listenAt(port);
  if (!server) return false;
  await new Promise((resolve) => server.close(resolve));
  return true;
}

/** A port that is free now, for a program that is told its port. */
export async function freePort(): Promise<string> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  server.close();
  await once(server, 'close');
  return String(address.port);
}

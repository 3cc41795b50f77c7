import { createServer } from 'node:net';

/** A base whose ports are free; each test process looks in a range of its own first. */
export async function freePortBase(): Promise<number> {
  for (;;) {
    // Below the range that outgoing connections take their ports from.
    const base = 10_000 + Math.floor(Math.random() * 220) * 100;
    // biome-ignore lint/performance/noAwaitInLoops: one candidate after the other
    const free = await Promise.all([0, 1, 2, 11, 12, 90].map((offset) => isFree(base + offset)));
    if (free.every(Boolean)) return base;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

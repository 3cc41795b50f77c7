/** A lease of a tab that was closed ends by itself. */
const LEASE_MS = 15_000;
const POLL_MS = 50;

/**
 * Runs in one tab at a time.
 * @param run learns whether another call was running: it may have changed what this one wanted to change
 */
export async function alone<T>(name: string, run: (hasWaited: boolean) => Promise<T>): Promise<T> {
  // Older browsers have none, whatever the type says.
  const locks: LockManager | undefined = navigator.locks;
  if (!locks) return leased(name, run);
  const first = await locks.request(name, { ifAvailable: true }, async (lock) => lock && { value: await run(false) });
  return first ? first.value : locks.request(name, () => run(true));
}

/** A lease in `localStorage`, for browsers without Web Locks. Two tabs may rarely get it at once; Latchkey accepts that. */
async function leased<T>(name: string, run: (hasWaited: boolean) => Promise<T>): Promise<T> {
  const own = crypto.randomUUID();
  let hasWaited = false;
  // biome-ignore lint/performance/noAwaitInLoops: it waits for the tab that holds the lease
  while (!(await take(name, own))) {
    hasWaited = true;
    await pause();
  }
  try {
    return await run(hasWaited);
  } finally {
    if (holder(name) === own) localStorage.removeItem(name);
  }
}

async function take(name: string, own: string): Promise<boolean> {
  if (holder(name) !== null) return false;
  localStorage.setItem(name, `${own} ${Date.now() + LEASE_MS}`);
  // Another tab may have written at the same moment: the last one holds it.
  await pause();
  return holder(name) === own;
}

function holder(name: string): string | null {
  const [id = '', until = '0'] = (localStorage.getItem(name) ?? '').split(' ');
  return Number(until) > Date.now() ? id : null;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

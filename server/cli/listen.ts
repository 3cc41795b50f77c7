import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { loadConfig } from '#platform/config.ts';
import { newSecret, signatures } from '#platform/signing-secrets.ts';
import { StartError } from '#platform/start-error.ts';
import { type BackEnd, openBackEnd } from './back-end.ts';
import { failing } from './failing.ts';

type Overrides = Record<string, string | undefined>;

const WAIT_SECONDS = 25;
const AGAIN_MS = 1_000;
const FORWARD_MS = 15_000;

function credentialsFile(overrides: Overrides, credentials: string | undefined): string {
  return credentials ?? join(loadConfig(undefined, overrides).dataDir, 'demo.json');
}

/** Forwards the events of a test environment to an address of this machine as they happen, signed like webhooks. */
export async function listen(
  overrides: Overrides,
  { forwardTo, types, credentials }: { forwardTo: string; types?: string; credentials?: string },
): Promise<void> {
  await failing(overrides, async () => {
    if (!URL.canParse(forwardTo))
      throw new StartError('Name the target: latchkey listen --forward-to http://localhost:3000/hooks');
    const backEnd = await openBackEnd(credentialsFile(overrides, credentials));
    const selection = types === undefined ? '' : `&types=${encodeURIComponent(types)}`;
    const start = await backEnd(`/v1/admin/events?after=latest${selection}`);
    const secret = newSecret();
    say(`Forwarding events of the test environment to ${forwardTo}. Stop with Ctrl-C.`);
    say(`They are signed with ${secret}`);
    await follow(backEnd, { after: Number(start['nextAfter']), selection }, (event) =>
      forward(forwardTo, secret, event),
    );
  });
}

/** Polls the feed forever; retries while Latchkey is down. */
async function follow(
  backEnd: BackEnd,
  { after, selection }: { after: number; selection: string },
  take: (event: Record<string, unknown>) => Promise<void>,
): Promise<void> {
  let from = after;
  for (;;) {
    try {
      // biome-ignore lint/performance/noAwaitInLoops: one page after the other
      const page = await backEnd(`/v1/admin/events?after=${from}&limit=100&wait=${WAIT_SECONDS}${selection}`);
      for (const event of Array.isArray(page['items']) ? page['items'] : []) {
        // biome-ignore lint/performance/noAwaitInLoops: the order matters
        await take(event);
        from = Number(event.sequence);
      }
      from = Number(page['nextAfter']);
    } catch (error) {
      say(`Latchkey does not respond (${reasonOf(error)}). Trying again…`);
      await pause(AGAIN_MS);
    }
  }
}

async function forward(url: string, secret: string, event: Record<string, unknown>): Promise<void> {
  const body = JSON.stringify(event);
  const id = String(event['id']);
  const timestamp = Math.floor(Date.now() / 1000);
  const began = performance.now();
  const outcome = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    signal: AbortSignal.timeout(FORWARD_MS),
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures([secret], { id, timestamp, body }),
    },
    body,
  }).then(
    async (response) => {
      await response.body?.cancel();
      return String(response.status);
    },
    (error: unknown) => reasonOf(error),
  );
  const clock = new Date().toISOString().slice(11, 19);
  say(
    `${clock}  ${String(event['type']).padEnd(30)} ${id}  → ${outcome} (${Math.round(performance.now() - began)} ms)`,
  );
}

/** Emits an example event in a test environment. */
export async function trigger(
  overrides: Overrides,
  type: string,
  { credentials }: { credentials?: string },
): Promise<void> {
  await failing(overrides, async () => {
    const backEnd = await openBackEnd(credentialsFile(overrides, credentials));
    const { id } = await backEnd('/v1/admin/events', { type });
    say(`Emitted ${type} with example data: ${String(id)}`);
  });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

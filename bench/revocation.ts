import { request } from 'node:http';
import type { Subject } from './installation.ts';

const ROUNDS = 200;

/**
 * How long another process still accepts an ended session: from the response of logout to the first rejection.
 * @param otherPort where the other process serves the API address
 * @returns milliseconds
 */
export async function revocationDelay(subject: Subject, otherPort: number): Promise<{ p50: number; p99: number }> {
  const delays: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    delays.push(await once(subject, otherPort, round));
  }
  delays.sort((a, b) => a - b);
  const at = (share: number) => delays[Math.floor(delays.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

async function once({ authUrl, apiUrl }: Subject, otherPort: number, round: number): Promise<number> {
  const registered = await fetch(`${authUrl}/v1/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `revoked${round}@example.com`, password: 'correct horse battery staple' }),
  });
  const { access_token } = JSON.parse(await registered.text());
  const { host } = new URL(apiUrl);
  if ((await statusAt(otherPort, host, access_token)) !== 200)
    throw new Error('The other process does not accept a fresh session.');
  await fetch(`${authUrl}/v1/sessions/logout`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}` },
  });
  const began = performance.now();
  // biome-ignore lint/performance/noAwaitInLoops: polls as fast as it can
  while ((await statusAt(otherPort, host, access_token)) === 200);
  return performance.now() - began;
}

function statusAt(port: number, host: string, token: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: '127.0.0.1', port, path: '/v1/me/context', headers: { host, authorization: `Bearer ${token}` } },
      (incoming) => {
        incoming.resume();
        incoming.on('end', () => resolve(incoming.statusCode));
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

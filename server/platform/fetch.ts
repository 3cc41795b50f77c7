/** What a probe of an address found. */
export type ProbeResult = { ok: true; status: number } | { ok: false; reason: string };

/** Asks an address for a sign of life; redirects are not followed. @param timeoutMs how long to wait for the head of the answer */
export async function probe(url: string, timeoutMs: number): Promise<ProbeResult> {
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { 'user-agent': 'latchkey-probe' },
    });
    await response.body?.cancel();
    return { ok: true, status: response.status };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.name : 'unknown' };
  }
}

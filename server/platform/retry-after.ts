/**
 * Reads `Retry-After`, in seconds or as a date (RFC 9110 §10.2.3).
 * @returns when to try again, at most `maxMs` from now; null if the header names no time in the future
 */
export function retryAt(header: string | null, { now, maxMs }: { now: Date; maxMs: number }): Date | null {
  const value = header?.trim() ?? '';
  const at = /^\d{1,9}$/.test(value) ? now.getTime() + Number(value) * 1000 : Date.parse(value);
  if (Number.isNaN(at) || at <= now.getTime()) return null;
  return new Date(Math.min(at, now.getTime() + maxMs));
}

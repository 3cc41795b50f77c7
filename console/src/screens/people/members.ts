import type { Member } from '#api/records.ts';

export const memberStatuses = ['active', 'invited', 'blocked'] as const;

/** The display name of a member: the name, else an address, else the id. */
export function nameOf(member: Pick<Member, 'displayName' | 'email' | 'phone' | 'username' | 'id'>): string {
  return member.displayName ?? member.email ?? member.username ?? member.phone ?? member.id;
}

const BROWSERS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** A device as browser and system; an unknown user agent is shown as it is. */
export function deviceOf(userAgent: string | null): string {
  if (!userAgent) return 'Unknown device';
  const browser = BROWSERS.find(([sign]) => sign.test(userAgent))?.[1];
  const system = SYSTEMS.find(([sign]) => sign.test(userAgent))?.[1];
  return browser && system ? `${browser} on ${system}` : userAgent.slice(0, 60);
}

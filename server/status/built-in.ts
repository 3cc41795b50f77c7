/**
 * A component that every installation has. readings.ts says how it is measured, the words of a language how it is
 * called.
 */
export type BuiltIn = { id: string; group: string; shown: 'always' | 'when_degraded' };

export const builtInGroups = [{ id: 'sign-in' }, { id: 'integration' }, { id: 'platform' }] as const;

export const builtInComponents = [
  { id: 'auth', group: 'sign-in', shown: 'always' },
  { id: 'sign_in', group: 'sign-in', shown: 'always' },
  { id: 'oidc', group: 'sign-in', shown: 'always' },
  { id: 'api', group: 'integration', shown: 'always' },
  { id: 'webhooks', group: 'integration', shown: 'always' },
  { id: 'email', group: 'integration', shown: 'always' },
  { id: 'sms', group: 'integration', shown: 'when_degraded' },
  { id: 'console', group: 'platform', shown: 'always' },
  { id: 'database', group: 'platform', shown: 'always' },
  { id: 'worker', group: 'platform', shown: 'always' },
] as const satisfies readonly BuiltIn[];

export type BuiltInId = (typeof builtInComponents)[number]['id'] | (typeof builtInGroups)[number]['id'];

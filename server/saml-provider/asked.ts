import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { nullable } from '#platform/schemas.ts';
import type { System } from '#platform/system.ts';
import type { ByAssertion } from './own-side.ts';

/** What a service provider asked for, while the person signs in; the browser carries it, sealed. */
const Asked = Type.Object({
  /** null: the sign-in began here. */
  requestId: nullable(Type.String()),
  consumer: Type.String(),
  relayState: nullable(Type.String()),
  forceAuthn: Type.Boolean(),
  isPassive: Type.Boolean(),
  contexts: nullable(
    Type.Object({
      comparison: Type.Enum(['exact', 'minimum', 'maximum', 'better']),
      classes: Type.Array(Type.String()),
    }),
  ),
  /** The organization that the person signs in to: an id or a slug. */
  organization: nullable(Type.String()),
  /** Milliseconds since the epoch. */
  at: Type.Number(),
});
export type Asked = Static<typeof Asked>;

const PURPOSE = 'saml-request';
/** As long as a sign-in may take on the hosted pages. */
const USABLE_MS = 3_600_000;

export function sealAsked({ keyring }: System, { id }: ByAssertion, asked: Asked): string {
  return keyring.seal(JSON.stringify(asked), PURPOSE, id);
}

/** @returns undefined for a value that is none of this application, or too old */
export function openAsked({ keyring, clock }: System, { id }: ByAssertion, sealed: unknown): Asked | undefined {
  if (typeof sealed !== 'string') return undefined;
  try {
    const asked = Value.Parse(Asked, JSON.parse(keyring.open(sealed, PURPOSE, id)));
    return clock.now().getTime() - asked.at < USABLE_MS ? asked : undefined;
  } catch {
    return undefined;
  }
}

import { lastingTags } from '#lasting-tags';
import type { ApplicationSignIn } from '#oidc';
import type { System } from '#platform/system.ts';
import { issuing } from '#saml';
import type { ByAssertion } from './own-side.ts';

type Named = Pick<ApplicationSignIn, 'userId' | 'sessionId' | 'claims'>;

/** The claims that an application gets: its attributes, and the email address if it names people by it. */
export function claimsNeeded({ saml: { attributes, nameIdFormat } }: ByAssertion): string[] {
  return [...attributes.map(({ claim }) => claim), ...(nameIdFormat === 'emailAddress' ? ['email'] : [])];
}

/** The session of a person, as an application knows it. */
export async function sessionIndexOf(
  system: System,
  { id, workspaceId }: ByAssertion,
  { sessionId }: Named,
): Promise<string> {
  const reader = { system, db: system.lookups };
  const [tag] = await lastingTags(reader, { workspaceId, purpose: 'saml-session', text: `${id} ${sessionId}` });
  return `_${tag.toString('hex')}`;
}

/**
 * The name of a person at an application.
 * @returns null for a person without a verified email address, if the application names people by it
 */
export async function nameIdOf(
  system: System,
  application: ByAssertion,
  { userId, sessionId, claims }: Named,
): Promise<{ value: string; format: string } | null> {
  const { nameIdFormat } = application.saml;
  const { id, workspaceId } = application;
  const tagOf = async (text: string) =>
    (await lastingTags({ system, db: system.lookups }, { workspaceId, purpose: 'saml-name-id', text }))[0];
  const value = await {
    persistent: async () => (await tagOf(`${id} ${userId}`)).toString('base64url'),
    transient: async () => `_${(await tagOf(`${id} ${sessionId}`)).toString('hex')}`,
    emailAddress: async () => (isVerified(claims, 'email') ? textOf(claims['email']) : null),
    unspecified: async () => userId,
  }[nameIdFormat]();
  return value === null ? null : { value, format: issuing.nameIdFormats[nameIdFormat] };
}

/** Addresses count when they are verified: others could be somebody else's. */
function isVerified(claims: Named['claims'], claim: string): boolean {
  if (claim === 'email') return claims['email_verified'] === true;
  return claim !== 'phone_number' || claims['phone_number_verified'] === true;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The attributes of a person that have a value. */
export function attributesOf({ saml: { attributes } }: ByAssertion, { claims }: Named) {
  return attributes.map(({ claim, name, nameFormat }) => {
    const value = isVerified(claims, claim) ? claims[claim] : undefined;
    const values = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string');
    return { name, nameFormat, values };
  });
}

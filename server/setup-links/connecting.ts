import { type Static, Type } from 'typebox';
import { connectionSetUp, type MayConnect } from '#connections';
import { organizationRates } from '#organization-limits';
import { limitKey } from '#platform/limits.ts';
import { problemWithRetry } from '#platform/problem.ts';
import type { SetupLinkRow } from './setup-links.ts';
import { asMakerOf } from './tasks.ts';
import type { Visit } from './visit.ts';
import { backingOf } from './visits.ts';

/**
 * Counts a call to an address that a person with a link gives.
 * @throws Problem RATE_LIMIT_EXCEEDED
 */
export async function countCall({ ctx, link }: Visit): Promise<void> {
  const taken = await organizationRates(ctx.system)['setup-link-calls'].take(ctx, limitKey(link.id));
  if (!taken.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', taken.retryAfter);
}

/** The authority over connections of a person with a link: that of its maker now. */
export function connectingAs(link: SetupLinkRow): MayConnect {
  const authority = asMakerOf(backingOf(link), link.roles);
  return (tx, roles) => authority(tx, 'organization.connection.change', roles);
}

const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));

/** What a person enters about their identity provider. An empty field is not given. */
export const Entered = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }),
  metadataUrl: Text(2_048),
  metadata: Text(200_000),
  issuer: Text(2_048),
  clientId: Text(500),
  clientAuthentication: Type.Optional(connectionSetUp.ClientAuthentication),
  clientSecret: Text(10_000),
});

/** The configuration of a kind among the fields of a form. */
export function configurationIn(kind: 'saml' | 'oidc', sent: Static<typeof Entered>) {
  const given = (names: readonly Exclude<keyof typeof Entered.properties, 'name'>[]) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = sent[name]?.trim();
        return value ? [[name, value]] : [];
      }),
    );
  return kind === 'saml'
    ? given(['metadataUrl', 'metadata'])
    : given(['issuer', 'clientId', 'clientAuthentication', 'clientSecret']);
}

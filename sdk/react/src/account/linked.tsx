import type { ReactNode } from 'react';
import { Button } from '../fields.tsx';
import { useSay } from '../texts/form-texts.ts';
import { Confirmed, Row } from './rows.tsx';
import { Section, type SectionProps } from './section.tsx';

/** A connection of a company has an id in the place of a provider. The company manages its accounts. */
const CONNECTION = /^con_/;

/** The accounts at identity providers that sign the person in, and the providers where another one can be linked. */
export function LinkedSection({ data: { identities }, methods, account, change, isBusy }: SectionProps): ReactNode {
  const { say } = useSay();
  const offered = methods?.methods.includes('social') ? methods.providers : [];
  if (identities.length === 0 && offered.length === 0) return null;
  const nameOf = (provider: string, issuer: string) =>
    methods?.providers.find(({ id }) => id === provider)?.name ?? (CONNECTION.test(provider) ? issuer : provider);
  const link = (provider: string) =>
    change(async (client) => {
      const { clientId, redirectUri } = account.auth;
      const { data } = await client.post('/v1/me/linked-identities', { body: { provider, clientId, redirectUri } });
      if ('url' in data) await account.goToLink(data.url);
    });
  return (
    <Section title="linked">
      <ul className="latchkey-list">
        {identities.map(({ id, provider, issuer, email, subject }) => (
          <Row key={id} title={nameOf(provider, issuer)} note={email ?? subject}>
            {!CONNECTION.test(provider) && (
              <Confirmed
                action={say('unlink')}
                of={nameOf(provider, issuer)}
                question={say('askIdentity')}
                isBusy={isBusy}
                onConfirm={() =>
                  change((client) =>
                    client.delete('/v1/me/linked-identities/{identityId}', { path: { identityId: id } }),
                  )
                }
              />
            )}
          </Row>
        ))}
      </ul>
      <div className="latchkey-choices">
        {offered.map(({ id, name }) => (
          <Button key={id} disabled={isBusy} onClick={() => link(id)}>
            {say('link', { provider: name })}
          </Button>
        ))}
      </div>
    </Section>
  );
}

import { Button } from '@mantine/core';
import type { OrganizationConnection } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { Copy } from '#ui/copy.tsx';
import { Card, Facts } from '#ui/page.tsx';
import { Time } from '#ui/time.tsx';

type Path = { organizationId: string; connectionId: string };
type Certificate = NonNullable<OrganizationConnection['saml']>['serviceProvider']['certificates'][number];
type Props = { path: Path; certificates: readonly Certificate[]; canWrite: boolean };

/** The key of a connection, which is replaced in two steps: publish a second, then remove the first. */
export function SamlKey({ path, certificates, canWrite }: Props) {
  const rotation = certificates.length > 1 ? 'finish' : 'begin';
  return (
    <Card
      split
      title="Key"
      about="Signs the requests of this connection and decrypts assertions. Its certificate is in the metadata for the identity provider."
      actions={canWrite && <Rotate path={path} rotation={rotation} />}
    >
      <Facts
        facts={certificates.map(({ fingerprint, validUntil, pem }, index) => {
          const name = index === 0 ? 'Signs' : 'Signs next';
          return [
            name,
            <span key={fingerprint}>
              <Copy value={pem} shown={fingerprint} name={`the certificate: ${name}`} />
              Expires <Time at={validUntil} />
            </span>,
          ];
        })}
      />
    </Card>
  );
}

const STEPS = {
  begin: {
    label: 'Replace key',
    done: 'Second key published',
    question: {
      title: 'Replace the key?',
      body: 'A second key is published in the metadata and decrypts from now on. The first one signs until you finish.',
      action: 'Publish second key',
    },
  },
  finish: {
    label: 'Finish replacing',
    done: 'Key replaced',
    question: {
      title: 'Remove the first key?',
      body: 'The second key signs from now on. Sign-ins fail if the identity provider does not have its certificate yet.',
      action: 'Remove first key',
      danger: true,
    },
  },
};

function Rotate({ path, rotation }: { path: Path; rotation: keyof typeof STEPS }) {
  const change = useAction(
    useApi().useMutation('patch', '/console/v1/organizations/{organizationId}/connections/{connectionId}'),
  );
  const { label, ...step } = STEPS[rotation];
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={change.busy}
      onClick={() => change.run({ params: { path }, body: { saml: { keyRotation: rotation } } }, step)}
    >
      {label}
    </Button>
  );
}

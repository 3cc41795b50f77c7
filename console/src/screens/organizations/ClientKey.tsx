import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { OrganizationConnection } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { Copy } from '#ui/copy.tsx';
import { Card, Facts } from '#ui/page.tsx';

type Path = { organizationId: string; connectionId: string };
type Oidc = NonNullable<OrganizationConnection['oidc']>;
type Props = { path: Path; oidc: Oidc; canWrite: boolean };

/** How Latchkey authenticates at the identity provider: with the secret, or with a key that is replaced in two steps. */
export function ClientKey({ path, oidc: { jwksUrl, keyIds }, canWrite }: Props) {
  const steps: readonly Step[] =
    jwksUrl === null ? ['useKey'] : keyIds.length > 1 ? ['finish'] : ['begin', 'useSecret'];
  return (
    <Card
      split
      title="Client authentication"
      about={
        jwksUrl === null
          ? 'With the client secret; without one, PKCE alone proves requests.'
          : 'With a key of this connection (private_key_jwt). The identity provider reads the public part at the JWKS address.'
      }
      actions={
        canWrite && (
          <Group gap="xs">
            {steps.map((step) => (
              <Change key={step} path={path} step={step} />
            ))}
          </Group>
        )
      }
    >
      {jwksUrl !== null && (
        <Facts
          facts={[
            ['JWKS address', <Copy key="jwks" value={jwksUrl} />],
            ...keyIds.map((id, index): [string, ReactNode] => [
              index === 0 ? 'Signs' : 'Signs next',
              <Copy key={id} value={id} />,
            ]),
          ]}
        />
      )}
    </Card>
  );
}

const STEPS = {
  useKey: {
    label: 'Use a key',
    oidc: { clientAuthentication: 'private_key_jwt' },
    done: 'Key made',
    question: {
      title: 'Use a key in place of the secret?',
      body: 'Latchkey makes a key, and removes the stored client secret. Sign-ins fail until the identity provider knows the JWKS address.',
      action: 'Make key',
    },
  },
  useSecret: {
    label: 'Use a secret',
    oidc: { clientAuthentication: 'client_secret' },
    done: 'Key removed',
    question: {
      title: 'Remove the key?',
      body: 'Requests are proven by PKCE alone until you enter a client secret.',
      action: 'Remove key',
      danger: true,
    },
  },
  begin: {
    label: 'Replace key',
    oidc: { keyRotation: 'begin' },
    done: 'Second key published',
    question: {
      title: 'Replace the key?',
      body: 'A second key is published at the JWKS address. The first one signs until you finish.',
      action: 'Publish second key',
    },
  },
  finish: {
    label: 'Finish replacing',
    oidc: { keyRotation: 'finish' },
    done: 'Key replaced',
    question: {
      title: 'Remove the first key?',
      body: 'The second key signs from now on. Sign-ins fail if the identity provider has not read it yet.',
      action: 'Remove first key',
      danger: true,
    },
  },
} as const;
type Step = keyof typeof STEPS;

function Change({ path, step }: { path: Path; step: Step }) {
  const change = useAction(
    useApi().useMutation('patch', '/console/v1/organizations/{organizationId}/connections/{connectionId}'),
  );
  const { label, oidc, ...rest } = STEPS[step];
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={change.busy}
      onClick={() => change.run({ params: { path }, body: { oidc } }, rest)}
    >
      {label}
    </Button>
  );
}

import { Alert, Button, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { TestSignIn as TestSignInRecord } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { Copy } from '#ui/copy.tsx';
import { Card, Facts } from '#ui/page.tsx';
import { OrganizationRoleNames } from './RoleChoices.tsx';

const ALL = '/console/v1/organizations/{organizationId}/connections/{connectionId}/test-sign-ins';
const LOOK_AGAIN_MS = 2000;

type Path = { organizationId: string; connectionId: string };
type Started = TestSignInRecord & { url: string };
type Outcome = NonNullable<TestSignInRecord['outcome']>;

/** Signs in at the identity provider without consequences, and explains what came back. */
export function TestSignIn({ path }: { path: Path }) {
  const [started, setStarted] = useState<Started | null>(null);
  const start = useApi().useMutation('post', ALL);
  return (
    <Card
      split
      title="Test sign-in"
      about="Shows what the identity provider sends and what a sign-in would do, also while the connection is disabled. Nobody is signed in, and nothing changes."
      actions={
        <Button
          variant="default"
          size="compact-sm"
          loading={start.isPending}
          onClick={async () => setStarted(await start.mutateAsync({ params: { path } }).catch(() => null))}
        >
          {started ? 'Start again' : 'Start test sign-in'}
        </Button>
      }
    >
      {started ? <Progress key={started.id} path={path} started={started} /> : <span>Not tested yet.</span>}
    </Card>
  );
}

function Progress({ path, started }: { path: Path; started: Started }) {
  const { data } = useApi().useQuery(
    'get',
    `${ALL}/{testSignInId}`,
    { params: { path: { ...path, testSignInId: started.id } } },
    { refetchInterval: ({ state }) => (state.data?.outcome ? false : LOOK_AGAIN_MS) },
  );
  if (data?.outcome) return <Explained outcome={data.outcome} />;
  return (
    <Stack gap="sm" align="flex-start">
      <Button component="a" href={started.url} target="_blank" rel="noreferrer">
        Sign in at the identity provider
      </Button>
      <Text size="sm" role="status">
        Waiting for the sign-in. The address works once, in a new tab; the result appears here.
      </Text>
    </Stack>
  );
}

const RESULTS: Record<Exclude<Outcome['result'], 'refused'>, string> = {
  signs_in: 'The person would be signed in to their linked account.',
  links: 'The account that has the address would be linked, and the person signed in to it.',
  creates: 'The person would get a new account.',
  asks_for_proof: 'The person would first prove that the account with the address is theirs.',
};

function Explained({ outcome }: { outcome: Outcome }) {
  const { result, detail, attributes } = outcome;
  const received = Object.entries(attributes).map(([name, values]) => [name, values.join(', ')] as const);
  return (
    <Stack gap="md">
      {result === 'refused' ? (
        <Alert color="red" title={refusal(outcome)} role="status">
          {detail}
        </Alert>
      ) : (
        <Alert color="green" title="The sign-in works" role="status">
          {RESULTS[result]}
          {outcome.secondFactor && ' They would be asked for a second factor.'}
        </Alert>
      )}
      {outcome.subject !== null && <Part title="As mapped" facts={mappedFacts(outcome)} />}
      {received.length > 0 && <Part title="As received" facts={received} />}
    </Stack>
  );
}

function refusal({ because, check }: Outcome): string {
  return check === null ? `Refused: ${because}` : `Refused by the check “${check}”`;
}

type FactList = readonly (readonly [name: string, value: ReactNode])[];

function Part({ title, facts }: { title: string; facts: FactList }) {
  return (
    <section aria-label={title}>
      <Text size="sm" fw={600} mb="xs">
        {title}
      </Text>
      <Facts facts={facts} />
    </section>
  );
}

/** The person that the mapping makes of the attributes, and what they would have afterwards. */
function mappedFacts({ subject, mapped, userId, roles }: Outcome): FactList {
  const { email, emailVerified, displayName, givenName, familyName, groups } = mapped;
  const verified = emailVerified === null ? '' : emailVerified ? ' (verified)' : ' (not verified)';
  return [
    ['Subject', subject],
    ['Email', email === null ? '–' : `${email}${verified}`],
    ['Name', displayName ?? '–'],
    ['Given name', givenName ?? '–'],
    ['Family name', familyName ?? '–'],
    ['Groups', groups.join(', ') || '–'],
    ['User', userId === null ? '–' : <Copy key="user" value={userId} />],
    ['Roles afterwards', <OrganizationRoleNames key="roles" roles={roles} />],
  ];
}

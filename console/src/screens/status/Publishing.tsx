import { Anchor, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { StatusPage } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { Badge } from '#ui/badge.tsx';
import { Card } from '#ui/page.tsx';

const WORD = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** Latchkey adds a hyphen and ten characters to the word. */
const ADDED = 11;

type Audience = StatusPage['audience'];
const AUDIENCES: { value: Audience; label: string }[] = [
  { value: 'public', label: 'Everybody who has the address' },
  { value: 'members', label: 'Members of this project who are signed in' },
];
const EFFECTS: Record<Audience, string> = {
  public: 'The page needs no sign-in. Everybody can subscribe and gets messages.',
  members:
    'Visitors are sent to the sign-in of this project. Feeds, badge and JSON answer members only. Only members subscribe, with their own verified addresses. Present subscriptions stay, but nothing is sent to anyone who is not an active member; webhooks and channels from before must be subscribed again by a member.',
};

function stateOf({ published, audience }: StatusPage): string {
  if (!published) return 'Hidden';
  return audience === 'members' ? 'For members' : 'Published';
}

type ChoiceProps = { value: Audience; disabled: boolean; onChange: (value: Audience) => void };

function AudienceChoice({ value, disabled, onChange }: ChoiceProps) {
  return (
    <Select
      label="Who sees it"
      description={EFFECTS[value]}
      allowDeselect={false}
      data={AUDIENCES}
      value={value}
      disabled={disabled}
      onChange={(chosen) => onChange(AUDIENCES.find((one) => one.value === chosen)?.value ?? value)}
    />
  );
}

/** Whether the page of the project is published, who sees it, and how its address begins. */
export function Publishing({ page }: { page: StatusPage }) {
  const put = useAction(useApi().useMutation('put', '/console/v1/status/page'));
  const canWrite = useCan('status:write');
  const present = page.address?.slice(0, -ADDED) ?? '';
  const [word, setWord] = useState(present);
  const [audience, setAudience] = useState(page.audience);
  const wrong = word !== '' && !WORD.test(word);
  const chosen = { audience, ...(word !== '' && { address: word }) };
  const isSame = (word === '' || word === present) && audience === page.audience;
  const send = (body: { published: boolean; address?: string; audience?: Audience }, done: string) =>
    put.run({ body }, { done, change: body.published ? 'Publish the status page' : 'Hide the status page' });
  return (
    <Card
      split
      title={page.address === null ? 'A status page of this project' : 'Status page'}
      about="Tell the people who use this project about its incidents and maintenance."
    >
      <Stack>
        {page.address !== null && (
          <div>
            <Badge>{stateOf(page)}</Badge>
          </div>
        )}
        {page.domainUrl !== null && (
          <Text size="sm">
            At its domain: <Anchor href={page.domainUrl}>{page.domainUrl}</Anchor>
          </Text>
        )}
        <TextInput
          label="Address begins with"
          description="Ten more characters follow, which nobody can guess. Another word makes another address, and the old one stops working."
          placeholder="The name of the project"
          maxLength={40}
          value={word}
          error={wrong && 'Small letters and digits, with hyphens in between'}
          disabled={!canWrite}
          onChange={({ currentTarget: { value } }) => setWord(value)}
        />
        <AudienceChoice value={audience} disabled={!canWrite} onChange={setAudience} />
        {canWrite && (
          <Group>
            <Button
              disabled={wrong || (page.published && isSame)}
              loading={put.busy}
              onClick={() =>
                send({ published: true, ...chosen }, page.published ? 'Status page changed' : 'Status page published')
              }
            >
              {page.published ? 'Change the page' : 'Publish'}
            </Button>
            {page.published ? (
              <Button variant="default" onClick={() => send({ published: false }, 'Status page hidden')}>
                Hide
              </Button>
            ) : (
              page.address === null && (
                <Button
                  variant="default"
                  disabled={wrong}
                  onClick={() => send({ published: false, ...chosen }, 'Status page made')}
                >
                  Prepare without publishing
                </Button>
              )
            )}
          </Group>
        )}
      </Stack>
    </Card>
  );
}

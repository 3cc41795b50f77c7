import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { StatusPage } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { Badge } from '#ui/badge.tsx';
import { Card } from '#ui/page.tsx';

const WORD = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** Latchkey adds a hyphen and ten characters to the word. */
const ADDED = 11;

/** Whether the page of the project is public, and how its address begins. */
export function Publishing({ page }: { page: StatusPage }) {
  const put = useAction(useApi().useMutation('put', '/console/v1/status/page'));
  const canWrite = useCan('status:write');
  const present = page.address?.slice(0, -ADDED) ?? '';
  const [word, setWord] = useState(present);
  const wrong = word !== '' && !WORD.test(word);
  const chosen = word === '' ? {} : { address: word };
  const send = (body: { published: boolean; address?: string }, done: string) =>
    put.run({ body }, { done, change: body.published ? 'Publish the status page' : 'Hide the status page' });
  return (
    <Card
      split
      title={page.address === null ? 'A status page of this project' : 'Status page'}
      about="Tell the people who use this project about its incidents and maintenance. The page is public to everybody who knows its address."
    >
      <Stack>
        {page.address !== null && (
          <div>
            <Badge>{page.published ? 'Published' : 'Hidden'}</Badge>
          </div>
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
        {canWrite && (
          <Group>
            <Button
              disabled={wrong || (page.published && (word === '' || word === present))}
              loading={put.busy}
              onClick={() => send({ published: true, ...chosen }, 'Status page published')}
            >
              {page.published ? 'Change the address' : 'Publish'}
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

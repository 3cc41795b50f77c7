import { SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import type { Application } from '#api/records.ts';
import { useScope } from '#api/scope.tsx';
import { useSession } from '#api/session.ts';
import { CodeBlock } from '#ui/copy.tsx';
import { snippetsFor } from './snippets.ts';

/** Sample code with this application's ids and addresses. */
export function Snippets({ application }: { application: Application }) {
  const { addresses } = useSession();
  const { workspaceId, projectId, environment } = useScope();
  const snippets = snippetsFor(application.kind);
  const [chosen, setChosen] = useState(snippets[0]?.name ?? '');
  const snippet = snippets.find(({ name }) => name === chosen);
  if (!snippet || !workspaceId || !projectId || !environment) return null;
  const { auth, api } = addresses[environment];
  const [redirectUri = 'https://your.app/callback'] = application.redirectUris;
  const { clientId } = application;
  const code = snippet.code({ issuer: auth, apiUrl: api, clientId, redirectUri, workspaceId, projectId, environment });
  return (
    <Stack gap="sm" align="stretch">
      {snippets.length > 1 && (
        <SegmentedControl
          data={snippets.map(({ name }) => name)}
          value={chosen}
          onChange={setChosen}
          w="fit-content"
          aria-label="Framework"
        />
      )}
      <CodeBlock code={code} name={`the ${chosen} code`} />
    </Stack>
  );
}

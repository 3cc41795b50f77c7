import { Alert, Button, Radio, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Application } from '#api/records.ts';
import { useApi, useCan, useScope } from '#api/scope.tsx';
import { useSession } from '#api/session.ts';
import { useAction } from '#ui/action.ts';
import { CodeBlock, Copy } from '#ui/copy.tsx';
import { Facts } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import classes from './applications.module.css';
import type { Snippet } from './snippets/snippet.ts';
import { addressesOf, placeOf, snippetsFor } from './snippets.ts';

const OTHER = 'other';

/** Sample code with this application's ids and addresses, by framework. */
export function Snippets({ application }: { application: Application }) {
  const [filters, setFilters] = useFilters();
  const snippets = snippetsFor(application.kind);
  const known = snippets.find(({ key }) => key === filters['framework']);
  const snippet = filters['framework'] === OTHER ? undefined : (known ?? snippets[0]);
  return (
    <Stack gap="md">
      <FrameworkChoice
        snippets={snippets}
        value={snippet?.key ?? OTHER}
        onChange={(framework) => setFilters({ framework }, { replace: true })}
      />
      {snippet ? <Code snippet={snippet} application={application} /> : <Endpoints application={application} />}
    </Stack>
  );
}

type ChoiceProps = { snippets: readonly Snippet[]; value: string; onChange: (key: string) => void };

export function FrameworkChoice({ snippets, value, onChange }: ChoiceProps) {
  return (
    <Radio.Group value={value} onChange={onChange} label="Framework">
      <div className={classes.frameworks}>
        {[...snippets, { key: OTHER, name: 'Other' }].map(({ key, name }) => (
          <Radio.Card key={key} value={key} className={classes.framework}>
            {name}
          </Radio.Card>
        ))}
      </div>
    </Radio.Group>
  );
}

/** 256 random bits. */
function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace('=', '');
}

/** The values for sample code of an application; `clientSecret` is known only when it was added just now. */
export function useFactsOf(application: Application, snippet: Snippet | undefined, clientSecret = '') {
  const { addresses } = useSession();
  const { workspaceId, projectId, environment } = useScope();
  const [random] = useState(randomText);
  if (!snippet || !workspaceId || !projectId || !environment) return null;
  const { auth, api } = addresses[environment];
  const { clientId, apis } = application;
  const { origin, appRedirect } = placeOf(snippet, application);
  const ids = { clientId, clientSecret, workspaceId, projectId, environment };
  return { ...ids, issuer: auth, apiUrl: api, origin, appRedirect, audience: apis[0]?.identifier ?? '', random };
}

function Code({ snippet, application }: { snippet: Snippet; application: Application }) {
  const facts = useFactsOf(application, snippet);
  if (!facts) return null;
  if (snippet.needsApi && facts.audience === '')
    return (
      <Text size="sm" c="var(--lk-quiet)">
        The code of an API checks access tokens for this API. Choose below, under APIs, one that this application gets
        access tokens for.
      </Text>
    );
  return (
    <>
      <MissingAddresses snippet={snippet} application={application} />
      <Step title="Install">
        <CodeBlock code={snippet.install} name="the installation" />
      </Step>
      {snippet.env && (
        <Step title=".env" about={application.secrets.length > 0 ? SECRET : undefined}>
          <CodeBlock code={snippet.env(facts)} name=".env" />
        </Step>
      )}
      {snippet.files(facts).map(([name, code]) => (
        <Step key={name} title={name}>
          <CodeBlock code={code.trimEnd()} name={name} />
        </Step>
      ))}
      {snippet.run && (
        <Step title="Run">
          <CodeBlock code={snippet.run} name="the command to run it" />
        </Step>
      )}
    </>
  );
}

const SECRET = 'Enter the client secret that was shown once, or add another one below.';

type StepProps = { title: string; about?: string | undefined; children: ReactNode };

function Step({ title, about, children }: StepProps) {
  return (
    <section className={classes.step}>
      <h3>{title}</h3>
      {about && <p>{about}</p>}
      {children}
    </section>
  );
}

/** The addresses that the code uses and the application does not have; in test, one click adds them. */
function MissingAddresses({ snippet, application }: { snippet: Snippet; application: Application }) {
  const { environment } = useScope();
  const canWrite = useCan('applications:write');
  const change = useAction(useApi().useMutation('patch', '/console/v1/applications/{id}'));
  const { missing } = placeOf(snippet, application);
  if (!missing) return null;
  const { id, redirectUris, postLogoutRedirectUris, origins, backchannelLogoutUri } = application;
  const add = () =>
    change.run(
      {
        params: { path: { id } },
        body: {
          redirectUris: [...redirectUris, ...missing.redirectUris],
          postLogoutRedirectUris: [...postLogoutRedirectUris, ...missing.postLogoutRedirectUris],
          origins: [...origins, ...missing.origins],
          backchannelLogoutUri: missing.backchannelLogoutUri ?? backchannelLogoutUri,
        },
      },
      { done: 'Addresses added', change: 'Add the addresses of the code' },
    );
  const isLocal = snippet.returnsTo !== undefined && missing.redirectUris.length > 0;
  if (environment === 'production' && isLocal)
    return (
      <Alert color="yellow" p="sm">
        The code returns to an address that ends in <code>{snippet.returnsTo?.path}</code>, and this application has
        none. Add the one of your application to the redirect addresses below.
      </Alert>
    );
  return (
    <Alert color="yellow" p="sm">
      <Stack gap="xs" align="flex-start">
        <span>The code uses addresses that this application does not have yet: {addressesOf(missing).join(', ')}</span>
        {canWrite && (
          <Button size="compact-sm" variant="default" loading={change.busy} onClick={add}>
            Add them
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** For every other framework: what an OpenID Connect library asks for. */
function Endpoints({ application }: { application: Application }) {
  const { addresses } = useSession();
  const { environment } = useScope();
  if (!environment) return null;
  const { auth } = addresses[environment];
  const { clientId, secrets } = application;
  const secret = secrets.length > 0 ? '\nOIDC_CLIENT_SECRET=' : '';
  const env = `OIDC_ISSUER=${auth}\nOIDC_CLIENT_ID=${clientId}${secret}`;
  const endpoints = [
    ['Discovery', '/.well-known/openid-configuration'],
    ['Authorization endpoint', '/connect/authorize'],
    ['Token endpoint', '/connect/token'],
    ['Userinfo endpoint', '/connect/userinfo'],
  ] as const;
  return (
    <>
      <Text size="sm" c="var(--lk-quiet)">
        Any library for OpenID Connect works; it reads all addresses from the issuer.
      </Text>
      <Facts facts={endpoints.map(([name, path]) => [name, <Copy key={path} value={auth + path} />] as const)} />
      <Step title=".env" about={secret ? SECRET : undefined}>
        <CodeBlock code={env} name=".env" />
      </Step>
    </>
  );
}

import { Button, Group, Radio, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { Application } from '#api/records.ts';
import { useApi, useScope } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { CodeBlock } from '#ui/copy.tsx';
import { Card, Page } from '#ui/page.tsx';
import { SecretOnce } from '#ui/SecretOnce.tsx';
import { useFilters } from '#ui/search.ts';
import classes from './applications.module.css';
import { describedBy } from './described-by.ts';
import { type Kind, kindOf, kinds, linesOf } from './kinds.ts';
import { ManagementPermissions } from './ManagementPermissions.tsx';
import { FrameworkChoice, useFactsOf } from './Snippets.tsx';
import type { Snippet } from './snippets/snippet.ts';
import { NO_ADDRESSES, placeOf, snippetsFor } from './snippets.ts';

type Made = Application & { secret: string | null };

/** The frameworks that an application of this kind signs people in with; an API is added later. */
const frameworksOf = (kind: Kind) => snippetsFor(kind).filter(({ needsApi }) => !needsApi);

export function NewApplication() {
  const [{ kind: chosen, framework }, setFilters] = useFilters();
  const kind = kinds.find((known) => known === chosen) ?? 'spa';
  const frameworks = frameworksOf(kind);
  const snippet =
    framework === 'other' ? undefined : (frameworks.find(({ key }) => key === framework) ?? frameworks[0]);
  const suggested = useSuggestedRedirect(snippet);
  const [name, setName] = useState('');
  const [typed, setTyped] = useState<string | null>(null);
  const redirects = typed ?? suggested;
  const [metadata, setMetadata] = useState('');
  const [permissions, setPermissions] = useState<string[]>([]);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [made, setMade] = useState<Made | null>(null);
  const create = useAction(useApi().useMutation('post', '/console/v1/applications'));
  const navigate = useNavigate();
  const at = useAt();
  const open = (id: string) =>
    navigate({ to: at(`/applications/${id}`), search: { framework: snippet?.key ?? 'other' } });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const redirectUris = linesOf(redirects);
    const body = {
      kind,
      name,
      ...(kindOf(kind).redirects && { redirectUris }),
      ...(kind === 'management' && { permissions }),
      ...(kind === 'saml' && { saml: describedBy(metadata) }),
      ...(snippet?.returnsTo && logoutAddresses(snippet, { kind, redirectUris })),
      ...(kind === 'spa' && { origins: originsOf(redirectUris) }),
    };
    const onProblem = ({ fields }: { fields: Record<string, string> }) => {
      setErrors(fields);
      return Object.keys(fields).length > 0;
    };
    const application = await create.run({ body }, { done: `${name} added`, change: 'Add application', onProblem });
    if (application?.secret) setMade(application);
    else if (application) await open(application.id);
  };
  return (
    <Page title="Add an application" back={{ to: at('/applications'), label: 'Applications' }}>
      <form onSubmit={submit}>
        <Stack gap="md" maw={760}>
          <Card title="Where does it run?">
            <Stack gap="md">
              <KindChoice
                kind={kind}
                onChange={(value) => setFilters({ kind: value, framework: undefined }, { replace: true })}
              />
              {frameworks.length > 0 && (
                <FrameworkChoice
                  snippets={frameworks}
                  value={snippet?.key ?? 'other'}
                  onChange={(key) => setFilters({ framework: key }, { replace: true })}
                />
              )}
            </Stack>
          </Card>
          <Card>
            <Stack gap="md">
              <TextInput
                required
                label="Name"
                description="People see it when they sign in."
                maxLength={100}
                value={name}
                error={errors['name']}
                onChange={(event) => setName(event.currentTarget.value)}
              />
              {kindOf(kind).redirects && (
                <Textarea
                  required
                  label="Redirect addresses"
                  description="Where people return after sign-in. One per line, exactly as your code sends them."
                  placeholder={kind === 'native' ? 'com.example.app:/callback' : 'http://localhost:5173/callback'}
                  value={redirects}
                  error={errors['redirectUris']}
                  onChange={(event) => setTyped(event.currentTarget.value)}
                />
              )}
              {kind === 'management' && (
                <ManagementPermissions value={permissions} error={errors['permissions']} onChange={setPermissions} />
              )}
              {kind === 'saml' && (
                <Textarea
                  required
                  label="Metadata of the service provider"
                  description="The address of the metadata, or the XML. The next page has the fields to enter at the service provider."
                  placeholder="https://app.example.com/saml/metadata"
                  autosize
                  maxRows={10}
                  value={metadata}
                  error={errors['saml']}
                  onChange={(event) => setMetadata(event.currentTarget.value)}
                />
              )}
            </Stack>
          </Card>
          <Group justify="flex-end">
            <Button type="submit" loading={create.busy}>
              Add application
            </Button>
          </Group>
        </Stack>
      </form>
      {made?.secret && (
        <SecretOnce title="Client secret" secret={made.secret} onClose={() => open(made.id)}>
          <EnvFile made={made} snippet={snippet} />
        </SecretOnce>
      )}
    </Page>
  );
}

/** The settings of the sample code, with the secret in them. */
function EnvFile({ made, snippet }: { made: Made; snippet: Snippet | undefined }) {
  const facts = useFactsOf(made, snippet, made.secret ?? '');
  if (!facts || !snippet?.env) return null;
  return (
    <>
      <Text size="sm">The .env of the {snippet.name} code has it, too:</Text>
      <CodeBlock code={snippet.env(facts)} name=".env" />
    </>
  );
}

/** Where the sample code runs while it is developed; production has an address of its own. */
function useSuggestedRedirect(snippet: Snippet | undefined): string {
  const { environment } = useScope();
  if (!snippet || environment === 'production') return '';
  const { returnsTo, appRedirect = '' } = snippet;
  return returnsTo ? returnsTo.home + returnsTo.path : appRedirect;
}

type Typed = { kind: Kind; redirectUris: string[] };

/** Where sample code leads after signing out and is told of the end of sessions, if it runs where the redirect addresses say. */
function logoutAddresses(snippet: Snippet, { kind, redirectUris }: Typed) {
  const { missing } = placeOf(snippet, { ...NO_ADDRESSES, kind, redirectUris });
  if (!missing || missing.redirectUris.length > 0) return {};
  const { postLogoutRedirectUris, backchannelLogoutUri } = missing;
  return { postLogoutRedirectUris, backchannelLogoutUri };
}

function KindChoice({ kind, onChange }: { kind: Kind; onChange: (kind: string) => void }) {
  return (
    <Radio.Group value={kind} onChange={onChange} aria-label="Kind of application">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {kinds.map((value) => (
          <Radio.Card key={value} value={value} className={classes.kind}>
            <Radio.Indicator size="xs" />
            <div>
              <Text size="sm" fw={560}>
                {kindOf(value).name}
              </Text>
              <Text size="xs" c="var(--lk-quiet)">
                {kindOf(value).about}
              </Text>
            </div>
          </Radio.Card>
        ))}
      </SimpleGrid>
    </Radio.Group>
  );
}

/** A browser app calls from the origin that serves it. */
function originsOf(redirectUris: readonly string[]): string[] {
  const origins = redirectUris
    .filter((uri) => URL.canParse(uri) && uri.startsWith('http'))
    .map((uri) => new URL(uri).origin);
  return [...new Set(origins)];
}

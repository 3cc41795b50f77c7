import { Button, Group, Radio, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { Card, Page } from '#ui/page.tsx';
import { SecretOnce } from '#ui/SecretOnce.tsx';
import { useFilters } from '#ui/search.ts';
import classes from './applications.module.css';
import { type Kind, kindOf, kinds, linesOf } from './kinds.ts';
import { ManagementPermissions } from './ManagementPermissions.tsx';

type Made = { id: string; secret: string | null };

export function NewApplication() {
  const [{ kind: chosen }, setFilters] = useFilters();
  const kind = kinds.find((known) => known === chosen) ?? 'spa';
  const [name, setName] = useState('');
  const [redirects, setRedirects] = useState('');
  const [metadata, setMetadata] = useState('');
  const [permissions, setPermissions] = useState<string[]>([]);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [made, setMade] = useState<Made | null>(null);
  const create = useAction(useApi().useMutation('post', '/console/v1/applications'));
  const navigate = useNavigate();
  const at = useAt();
  const open = (id: string) => navigate({ to: at(`/applications/${id}`) });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const redirectUris = linesOf(redirects);
    const body = {
      kind,
      name,
      ...(kindOf(kind).redirects && { redirectUris }),
      ...(kind === 'management' && { permissions }),
      ...(kind === 'saml' && { saml: describedBy(metadata) }),
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
            <KindChoice kind={kind} onChange={(value) => setFilters({ kind: value }, { replace: true })} />
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
                  onChange={(event) => setRedirects(event.currentTarget.value)}
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
      {made?.secret && <SecretOnce title="Client secret" secret={made.secret} onClose={() => open(made.id)} />}
    </Page>
  );
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

/** Metadata by their address or as XML. */
function describedBy(text: string) {
  const written = text.trim();
  return /^https?:\/\//.test(written) ? { metadataUrl: written } : { metadata: written };
}

/** A browser app calls from the origin that serves it. */
function originsOf(redirectUris: readonly string[]): string[] {
  const origins = redirectUris
    .filter((uri) => URL.canParse(uri) && uri.startsWith('http'))
    .map((uri) => new URL(uri).origin);
  return [...new Set(origins)];
}

import { PasswordInput, Switch, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import type { IdentityProvider } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Badge } from '#ui/badge.tsx';
import { Copy } from '#ui/copy.tsx';
import { SettingsCard, useRecordForm } from '#ui/form.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { RemoveButton } from '#ui/RemoveButton.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { TestCard } from '#ui/TestCard.tsx';
import { presetName } from './presets.ts';

export function Provider() {
  const providerId = useIdInAddress();
  const provider = useApi().useQuery('get', '/console/v1/identity-providers/{providerId}', {
    params: { path: { providerId } },
  });
  return <Loaded query={provider}>{(record) => <Detail provider={record} reread={provider.refetch} />}</Loaded>;
}

type DetailProps = { provider: IdentityProvider; reread: () => Promise<{ data?: IdentityProvider }> };

function Detail({ provider, reread }: DetailProps) {
  const at = useAt();
  const canWrite = useCan('providers:write');
  return (
    <Page
      title={provider.name}
      back={{ to: at('/providers'), label: 'Identity providers' }}
      beside={<Badge tone={provider.enabled ? 'good' : 'quiet'}>{provider.enabled ? 'Enabled' : 'Disabled'}</Badge>}
      actions={canWrite && <Remove provider={provider} />}
    >
      <Card
        title={`Set up at ${presetName(provider.preset)}`}
        about={
          provider.callbackUrls.length > 1
            ? 'Register each of these as a redirect (callback) address of your client. People return to the domain they came from.'
            : 'Register this address as the redirect (callback) address of your client.'
        }
      >
        <Facts
          facts={provider.callbackUrls.map((url, index) => [
            index === 0 ? 'Callback address' : `Callback address at ${new URL(url).hostname}`,
            <Copy key={url} value={url} />,
          ])}
        />
      </Card>
      {canWrite && <TryIt provider={provider} />}
      <Edit provider={provider} reread={reread} canWrite={canWrite} />
    </Page>
  );
}

function TryIt({ provider: { id } }: { provider: IdentityProvider }) {
  const test = useApi().useMutation('post', '/console/v1/identity-providers/{providerId}/test');
  return (
    <TestCard
      about="Checks the provider’s configuration as a sign-in would."
      isPending={test.isPending}
      onTest={() => test.mutateAsync({ params: { path: { providerId: id } } })}
    />
  );
}

type Editable = IdentityProvider & { clientSecret: string };

/** The secret is never shown; a new value replaces it. */
const editable = (record: IdentityProvider): Editable => ({ ...record, clientSecret: '' });

function Edit({ provider, reread, canWrite }: DetailProps & { canWrite: boolean }) {
  const change = useApi().useMutation('patch', '/console/v1/identity-providers/{providerId}');
  const record = useMemo(() => editable(provider), [provider]);
  const form = useRecordForm<Editable>({
    record,
    path: `/console/v1/identity-providers/${provider.id}`,
    save: {
      isPending: change.isPending,
      mutateAsync: async ({ changes, headers }) => {
        const { name, clientId, clientSecret, enabled } = changes;
        const body = { name, clientId, clientSecret, enabled };
        return editable(await change.mutateAsync({ params: { path: { providerId: provider.id } }, body, headers }));
      },
    },
    reread: async () => {
      const { data } = await reread();
      return data ? { data: editable(data) } : {};
    },
    done: 'Provider saved',
    undone: 'Change undone',
  });
  const { values, set } = form;
  return (
    <SettingsCard title="Settings" form={form} canWrite={canWrite}>
      <TextInput label="Name" description="Shown on the sign-in button." {...form.text('name')} />
      <TextInput label="Client id" {...form.text('clientId')} />
      <PasswordInput
        label="Client secret"
        placeholder={provider.hasSecret ? 'Stored; enter a new one to replace it' : ''}
        autoComplete="off"
        {...form.text('clientSecret')}
      />
      <Switch
        label="Enabled"
        checked={values.enabled}
        onChange={({ currentTarget: { checked } }) => set({ enabled: checked })}
      />
    </SettingsCard>
  );
}

function Remove({ provider }: { provider: IdentityProvider }) {
  const at = useAt();
  return (
    <RemoveButton
      name={provider.name}
      body="People without another sign-in method won’t be able to sign in."
      mutation={useApi().useMutation('delete', '/console/v1/identity-providers/{providerId}')}
      init={{ params: { path: { providerId: provider.id } } }}
      back={at('/providers')}
    />
  );
}

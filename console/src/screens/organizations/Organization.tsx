import { TextInput } from '@mantine/core';
import { useMemo } from 'react';
import type { Organization as OrganizationRecord } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { BlockButton } from '#ui/BlockButton.tsx';
import { Copy } from '#ui/copy.tsx';
import { SettingsCard, useRecordForm } from '#ui/form.tsx';
import { arranged, JsonField, objectIn } from '#ui/json.tsx';
import { Card, Facts } from '#ui/page.tsx';
import { RemoveButton } from '#ui/RemoveButton.tsx';
import { Time } from '#ui/time.tsx';
import { OrganizationMembers } from './OrganizationMembers.tsx';
import { OrganizationPage, type OrganizationProps } from './OrganizationPage.tsx';
import { OrganizationPolicy } from './OrganizationPolicy.tsx';
import { SetupLinks } from './SetupLinks.tsx';

export function Organization() {
  const canWrite = useCan('organizations:write');
  return (
    <OrganizationPage actions={(organization) => canWrite && <Actions organization={organization} />}>
      {({ organization, reread }) => (
        <>
          <Card>
            <Facts
              facts={[
                ['Organization id', <Copy key="id" value={organization.id} />],
                ['Added', <Time key="added" at={organization.createdAt} />],
              ]}
            />
          </Card>
          <OrganizationMembers organization={organization} canWrite={canWrite} />
          <Edit organization={organization} reread={reread} canWrite={canWrite} />
          <OrganizationPolicy organizationId={organization.id} canWrite={canWrite} />
          <SetupLinks organizationId={organization.id} canWrite={canWrite} />
        </>
      )}
    </OrganizationPage>
  );
}

function Actions({ organization: { id, name, status } }: { organization: OrganizationRecord }) {
  const at = useAt();
  const api = useApi();
  const remove = api.useMutation('delete', '/console/v1/organizations/{organizationId}');
  const init = { params: { path: { organizationId: id } } };
  return (
    <>
      <BlockButton
        name={name}
        blocked={status === 'blocked'}
        body="Its members stay members of this project and keep their roles."
        blocking={api.useMutation('post', '/console/v1/organizations/{organizationId}/block')}
        unblocking={api.useMutation('post', '/console/v1/organizations/{organizationId}/unblock')}
        init={init}
      />
      <RemoveButton
        verb="Delete"
        done={`${name} is deleted`}
        name={name}
        body="Its members lose their roles in it and stay members of this project. This can’t be undone."
        mutation={remove}
        init={init}
        back={at('/organizations')}
      />
    </>
  );
}

/** The record as its form shows it: as text. */
type Texts = { name: string; slug: string; metadata: string };

const textsOf = ({ name, slug, metadata }: OrganizationRecord): Texts => ({
  name,
  slug: slug ?? '',
  metadata: arranged(metadata),
});

function Edit({ organization, reread, canWrite }: OrganizationProps & { canWrite: boolean }) {
  const change = useApi().useMutation('patch', '/console/v1/organizations/{organizationId}');
  const record = useMemo(() => textsOf(organization), [organization]);
  const params = { path: { organizationId: organization.id } };
  const form = useRecordForm({
    record,
    path: `/console/v1/organizations/${organization.id}`,
    save: {
      isPending: change.isPending,
      mutateAsync: async ({ changes: { name, slug, metadata }, headers }) => {
        const body = {
          ...(name !== undefined && { name }),
          ...(slug !== undefined && { slug: slug || null }),
          ...(metadata !== undefined && { metadata: objectIn('metadata', metadata) }),
        };
        return textsOf(await change.mutateAsync({ params, body, headers }));
      },
    },
    reread: async () => {
      const { data } = await reread();
      return { data: data && textsOf(data) };
    },
    done: 'Organization saved',
    undone: 'Change undone',
  });
  return (
    <SettingsCard title="Settings" form={form} canWrite={canWrite}>
      <TextInput label="Name" required maxLength={200} {...form.text('name')} />
      <TextInput label="Slug" description="Names it in addresses." maxLength={63} {...form.text('slug')} />
      <JsonField
        label="Metadata"
        description="A JSON object of your back end, which members do not see."
        value={form.values.metadata}
        error={form.errors.metadata}
        onChange={(text) => form.set({ metadata: text })}
      />
    </SettingsCard>
  );
}

import { SegmentedControl, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { OrganizationBranding as BrandingRecord, Organization } from '#api/records.ts';
import { useApi, useCan, useScope } from '#api/scope.tsx';
import classes from '#screens/sign-in/branding.module.css';
import { LookFields } from '#screens/sign-in/LookFields.tsx';
import { PreviewCard } from '#screens/sign-in/PreviewCard.tsx';
import { previewedLogo } from '#screens/sign-in/previewed.ts';
import { Fields, RecordFields, useRecordForm } from '#ui/form.tsx';
import { Card } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { OrganizationPage } from './OrganizationPage.tsx';

const PATH = '/console/v1/organizations/{organizationId}/branding';

export function OrganizationBranding() {
  return <OrganizationPage>{({ organization }) => <Branding organization={organization} />}</OrganizationPage>;
}

function Branding({ organization }: { organization: Organization }) {
  const branding = useApi().useQuery('get', PATH, { params: { path: { organizationId: organization.id } } });
  return (
    <Loaded query={branding}>
      {(record) => <Editor organizationId={organization.id} branding={record} reread={branding.refetch} />}
    </Loaded>
  );
}

type EditorProps = {
  organizationId: string;
  branding: BrandingRecord;
  reread: () => Promise<{ data?: BrandingRecord }>;
};

function Editor({ organizationId, branding, reread }: EditorProps) {
  const canWrite = useCan('organizations:write');
  const change = useApi().useMutation('patch', PATH);
  const form = useRecordForm({
    record: branding,
    path: `/console/v1/organizations/${organizationId}/branding`,
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes, headers }) =>
        change.mutateAsync({ params: { path: { organizationId } }, body: changes, headers }),
    },
    reread,
    done: 'Branding saved',
    undone: 'Change undone',
  });
  const { values, errors, set } = form;
  return (
    <RecordFields form={form}>
      <div className={classes.editor}>
        <Card
          title="Branding"
          about="Shown when people sign in to this organization, and in invitations to it. Empty fields show the project’s branding."
        >
          <Fields canWrite={canWrite}>
            <TextInput
              label="Name shown"
              placeholder="Name of the project"
              maxLength={100}
              value={values.name ?? ''}
              error={errors.name}
              onChange={({ currentTarget: { value } }) => set({ name: value || null })}
            />
            <LookFields look={values} errors={errors} fallback="Same as the project" onChange={set} />
          </Fields>
        </Card>
        <Preview organizationId={organizationId} branding={values} />
      </div>
    </RecordFields>
  );
}

const SHOWN = [
  { value: 'page', label: 'Sign-in page' },
  { value: 'mail', label: 'Invitation' },
];

type PreviewProps = { organizationId: string; branding: BrandingRecord };

function Preview({ organizationId, branding: { name, logoUrl, accentColor, backgroundColor } }: PreviewProps) {
  const [show, setShow] = useState('page');
  const { workspaceId, projectId, environment } = useScope();
  const query = new URLSearchParams({
    ...{ workspaceId: workspaceId ?? '', projectId: projectId ?? '', environment: environment ?? '', show },
    ...{ name: name ?? '', logoUrl: previewedLogo(logoUrl) },
    ...{ accentColor: accentColor ?? '', backgroundColor: backgroundColor ?? '' },
  });
  return (
    <PreviewCard
      of={show === 'page' ? 'the sign-in page' : 'the invitation'}
      address={`/console/v1/organizations/${organizationId}/branding/preview?${query}`}
      actions={<SegmentedControl data={SHOWN} value={show} onChange={setShow} aria-label="What the preview shows" />}
    />
  );
}

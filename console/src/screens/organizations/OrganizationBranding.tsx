import { TextInput } from '@mantine/core';
import type { BrandingImages, OrganizationBranding as BrandingRecord, Organization } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import classes from '#screens/sign-in/branding.module.css';
import { LookFields } from '#screens/sign-in/LookFields.tsx';
import { PreviewCard } from '#screens/sign-in/PreviewCard.tsx';
import { previewedAddress, versionOf } from '#screens/sign-in/previewed.ts';
import { UploadedImages } from '#screens/sign-in/UploadedImages.tsx';
import { Fields, RecordFields, useRecordForm } from '#ui/form.tsx';
import { Card } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { OrganizationPage } from './OrganizationPage.tsx';

const PATH = '/console/v1/organizations/{organizationId}/branding';
const IMAGE = '/console/v1/organizations/{organizationId}/branding/images/{use}';

export function OrganizationBranding() {
  return <OrganizationPage>{({ organization }) => <Branding organization={organization} />}</OrganizationPage>;
}

function Branding({ organization }: { organization: Organization }) {
  const params = { path: { organizationId: organization.id } };
  const branding = useApi().useQuery('get', PATH, { params });
  const images = useApi().useQuery('get', `${PATH}/images`, { params });
  return (
    <Loaded query={branding}>
      {(record) => (
        <Loaded query={images}>
          {(uploaded) => (
            <Editor organizationId={organization.id} branding={record} images={uploaded} reread={branding.refetch} />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

type EditorProps = {
  organizationId: string;
  branding: BrandingRecord;
  images: BrandingImages;
  reread: () => Promise<{ data?: BrandingRecord }>;
};

function Editor({ organizationId, branding, images, reread }: EditorProps) {
  const put = useApi().useMutation('put', IMAGE);
  const remove = useApi().useMutation('delete', IMAGE);
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
            <UploadedImages images={images} canWrite={canWrite} of={{ organizationId }} put={put} remove={remove} />
            <LookFields look={values} errors={errors} fallback="Same as the project" onChange={set} />
          </Fields>
        </Card>
        <div className={classes.preview}>
          <Preview organizationId={organizationId} branding={values} version={versionOf(images)} />
        </div>
      </div>
    </RecordFields>
  );
}

type PreviewProps = { organizationId: string; branding: BrandingRecord; version: string };

/** The messages that speak for an organization. */
const MESSAGES = ['invitation', 'setup_link'];

function Preview({ organizationId, branding, version }: PreviewProps) {
  return (
    <PreviewCard
      path={`/console/v1/organizations/${organizationId}/branding/preview`}
      draft={{ organization: { ...branding, logoUrl: previewedAddress(branding.logoUrl) } }}
      version={version}
      messages={MESSAGES}
      locale="en"
    />
  );
}

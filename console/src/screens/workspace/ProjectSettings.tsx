import { Checkbox, MultiSelect, NumberInput, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import type { Settings } from '#api/records.ts';
import { useApi, useCan, useScope } from '#api/scope.tsx';
import { useSession } from '#api/session.ts';
import { languages } from '#screens/messages/languages.ts';
import { Copy } from '#ui/copy.tsx';
import { Fields, RecordFields, type RecordForm, SettingsCard, useRecordForm } from '#ui/form.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { useSettingsForm } from '#ui/settings.ts';
import { Loaded, Needs } from '#ui/states.tsx';
import { DeleteProject } from './Deletion.tsx';

type Project = { id: string; name: string; createdAt: string; deletesAt: string | null };

export function ProjectSettings() {
  const api = useApi();
  const { projectId, environment } = useScope();
  const project = api.useQuery('get', '/console/v1/projects/{projectId}', {
    params: { path: { projectId: projectId ?? '' } },
  });
  const settings = api.useQuery('get', '/console/v1/settings');
  const canWrite = useCan('settings:write');
  return (
    <Page title="Project settings">
      <Needs permission="settings:read">
        <Loaded query={project}>{(record) => <Naming project={record} reread={project.refetch} />}</Loaded>
        {environment && <Addresses environment={environment} />}
        <Loaded query={settings}>{(record) => <EnvironmentSettings settings={record} canWrite={canWrite} />}</Loaded>
        {project.data && <DeleteProject project={project.data} />}
      </Needs>
    </Page>
  );
}

function Naming({ project, reread }: { project: Project; reread: () => Promise<{ data?: Project }> }) {
  const change = useApi().useMutation('patch', '/console/v1/projects/{projectId}');
  const canWrite = useCan('projects:write');
  const form = useRecordForm({
    record: project,
    path: `/console/v1/projects/${project.id}`,
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes, headers }) =>
        change.mutateAsync({
          params: { path: { projectId: project.id } },
          body: { name: changes.name ?? project.name },
          headers,
        }),
    },
    reread,
    done: 'Project saved',
  });
  return (
    <RecordFields form={form}>
      <Card split title="Project" about="Applies to both environments.">
        <Stack>
          <Fields canWrite={canWrite}>
            <TextInput label="Name" maw={420} {...form.text('name')} />
          </Fields>
          <Facts facts={[['Project id', <Copy key="id" value={project.id} />]]} />
        </Stack>
      </Card>
    </RecordFields>
  );
}

function Addresses({ environment }: { environment: 'test' | 'production' }) {
  const { auth, api } = useSession().addresses[environment];
  return (
    <Card split title="Addresses" about="For this environment.">
      <Facts
        facts={[
          ['Sign-in, issuer', <Copy key="auth" value={auth} />],
          ['API', <Copy key="api" value={api} />],
        ]}
      />
    </Card>
  );
}

function Languages({ form: { values, errors, set } }: { form: RecordForm<Settings> }) {
  return (
    <>
      <MultiSelect
        label="Languages"
        description="For sign-in pages, mails and text messages."
        maw={420}
        data={[...languages]}
        value={values.locales}
        error={errors.locales}
        onChange={(chosen) =>
          set({ locales: languages.map(({ value }) => value).filter((value) => chosen.includes(value)) })
        }
      />
      <Select
        label="Default language"
        maw={420}
        allowDeselect={false}
        data={languages.filter(({ value }) => values.locales.includes(value))}
        value={values.defaultLanguage}
        error={errors.defaultLanguage}
        onChange={(value) =>
          set({ defaultLanguage: languages.find((language) => language.value === value)?.value ?? 'en' })
        }
      />
    </>
  );
}

function ActingForPeople({ form: { values, errors, set } }: { form: RecordForm<Settings> }) {
  return (
    <>
      <Checkbox
        label="Notify people when an application acts for them"
        description="By mail, once for each session, when an application exchanges their token."
        checked={values.delegationNotices}
        onChange={(event) => set({ delegationNotices: event.currentTarget.checked })}
      />
      <NumberInput
        label="Maximum time to act as a member"
        description="In minutes, for members with the permission members:impersonate. 0 disables it."
        maw={420}
        min={0}
        max={60}
        value={values.impersonationMinutes}
        error={errors.impersonationMinutes}
        onChange={(value) => set({ impersonationMinutes: Number(value) })}
      />
    </>
  );
}

const ORGANIZATION_LIMITS = [
  { name: 'maxOrganizations', label: 'Organizations of this project', min: 0, max: 100_000 },
  { name: 'maxOrganizationMembers', label: 'Members of an organization', min: 1, max: 10_000 },
  { name: 'maxOwnOrganizations', label: 'Organizations that a member may add and own', min: 0, max: 1_000 },
] as const;

function OrganizationLimits({ form: { values, errors, set } }: { form: RecordForm<Settings> }) {
  return ORGANIZATION_LIMITS.map(({ name, label, min, max }) => (
    <NumberInput
      key={name}
      label={label}
      description="At most. What exceeds a lower number stays."
      maw={420}
      min={min}
      max={max}
      value={values[name]}
      error={errors[name]}
      onChange={(value) => set({ [name]: Number(value) })}
    />
  ));
}

const SELF_SERVICE = [
  { value: 'connections', label: 'Connections' },
  { value: 'directory', label: 'Directory' },
  { value: 'policy', label: 'Policy' },
] as const;

function SelfService({ form: { values, errors, set } }: { form: RecordForm<Settings> }) {
  const onChange = (chosen: string[]) =>
    set({ organizationSelfService: SELF_SERVICE.map(({ value }) => value).filter((value) => chosen.includes(value)) });
  return (
    <MultiSelect
      label="Organizations manage themselves"
      description="What members manage in their organization if their roles permit it, such as owners. Each can lock people out."
      maw={420}
      placeholder={values.organizationSelfService.length === 0 ? 'Administrators manage it' : ''}
      data={[...SELF_SERVICE]}
      value={values.organizationSelfService}
      error={errors.organizationSelfService}
      onChange={onChange}
    />
  );
}

function EnvironmentSettings({ settings, canWrite }: { settings: Settings; canWrite: boolean }) {
  const form = useSettingsForm(settings);
  const { environment } = useScope();
  const { values, errors, set } = form;
  const phones = values.testPhoneNumbers.map(({ phone, code }) => `${phone} ${code}`);
  const setPhones = (lines: string[]) =>
    set({
      testPhoneNumbers: lines.map((line) => ({ phone: line.split(/\s+/)[0] ?? '', code: line.split(/\s+/)[1] ?? '' })),
    });
  return (
    <SettingsCard title="Environment" about="Applies to this environment only." form={form} canWrite={canWrite}>
      <Languages form={form} />
      <NumberInput
        label="Keep webhook deliveries for"
        suffix=" days"
        maw={420}
        min={1}
        max={365}
        value={values.webhookLogDays}
        error={errors.webhookLogDays}
        onChange={(value) => set({ webhookLogDays: Number(value) })}
      />
      <ActingForPeople form={form} />
      <OrganizationLimits form={form} />
      <SelfService form={form} />
      <TextInput
        label="Passkey domain"
        description="Defaults to the host of the auth address."
        maw={420}
        value={values.passkeyRpId ?? ''}
        error={errors.passkeyRpId}
        onChange={({ currentTarget: { value } }) => set({ passkeyRpId: value || null })}
      />
      {environment === 'test' && (
        <TagsInput
          label="Test phone numbers"
          description="Number and eight-digit code, such as +4915112345678 00000000. No message is sent to these numbers."
          value={phones}
          error={errors.testPhoneNumbers}
          onChange={setPhones}
        />
      )}
    </SettingsCard>
  );
}

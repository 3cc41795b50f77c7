import { MultiSelect, Select, Switch, TagsInput, TextInput } from '@mantine/core';
import type { StatusSettings } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { languages } from '#screens/messages/languages.ts';
import { ColourInput } from '#ui/ColourInput.tsx';
import { Copy } from '#ui/copy.tsx';
import { SettingsCard, useRecordForm } from '#ui/form.tsx';
import { Card, Facts, Page } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { addressOn, onStatusPage } from './onStatusPage.tsx';
import { Publishing } from './Publishing.tsx';
import { StatusTabs } from './StatusTabs.tsx';

const PATH = '/console/v1/status/settings';
const POLICIES: { value: StatusSettings['automatic']; label: string }[] = [
  { value: 'publish', label: 'Open a public incident' },
  { value: 'draft', label: 'Create a draft incident' },
  { value: 'off', label: 'Do nothing' },
];
const PLACES = [
  ['Status page', '/status'],
  ['Summary (JSON)', '/api/status/summary'],
  ['RSS', '/api/status/history.rss'],
  ['Atom', '/api/status/history.atom'],
  ['JSON Feed', '/api/status/history.json'],
  ['Badge', '/api/status/badge.svg'],
  ['Statuspage-compatible', '/api/v2/summary.json'],
] as const;

export const Settings = onStatusPage(function Settings({ page }) {
  const settings = useApi().useQuery('get', PATH);
  return (
    <Page title="Status" about="How the page looks, automation, and where the status is published.">
      <StatusTabs />
      <Loaded query={settings}>{(record) => <Edit settings={record} reread={settings.refetch} />}</Loaded>
      {page.kind === 'project' && <Publishing page={page} />}
      <Card
        split
        title="Addresses"
        about={page.audience === 'members' ? 'For members who are signed in.' : 'Available without signing in.'}
      >
        <Facts
          facts={PLACES.map(([name, path]) => [name, <Copy key={path} value={addressOn(page, path)} />] as const)}
        />
      </Card>
    </Page>
  );
});

type EditProps = { settings: StatusSettings; reread: () => Promise<{ data?: StatusSettings }> };

function Edit({ settings, reread }: EditProps) {
  const change = useApi().useMutation('patch', PATH);
  const canWrite = useCan('status:write');
  const form = useRecordForm({
    record: settings,
    path: PATH,
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes, headers }) => change.mutateAsync({ body: changes, headers }),
    },
    reread,
    done: 'Settings saved',
    undone: 'Change undone',
  });
  const { values, errors, set } = form;
  return (
    <SettingsCard title="Page and automation" form={form} canWrite={canWrite}>
      <TextInput
        label="Name"
        placeholder="The name of the project"
        maxLength={100}
        value={values.name ?? ''}
        error={errors.name}
        onChange={({ currentTarget: { value } }) => set({ name: value || null })}
      />
      <TextInput
        type="url"
        label="Logo address"
        placeholder="The logo of the project"
        value={values.logoUrl ?? ''}
        error={errors.logoUrl}
        onChange={({ currentTarget: { value } }) => set({ logoUrl: value || null })}
      />
      <ColourInput
        label="Colour"
        fallback="The colour of the project"
        value={values.accentColor}
        onChange={(accentColor) => set({ accentColor })}
      />
      <TextInput
        type="url"
        label="Help address"
        description="Visitors find a link to it on the page."
        value={values.supportUrl ?? ''}
        error={errors.supportUrl}
        onChange={({ currentTarget: { value } }) => set({ supportUrl: value || null })}
      />
      <MultiSelect
        label="Languages"
        description="Visitors read the page, and subscribers get messages, in these."
        data={[...languages]}
        value={values.locales}
        error={errors.locales}
        onChange={(chosen) =>
          set({ locales: languages.map(({ value }) => value).filter((value) => chosen.includes(value)) })
        }
      />
      <Select
        label="Default language"
        description="For people who prefer none of these, and for feeds and the badge."
        allowDeselect={false}
        data={languages.filter(({ value }) => values.locales.includes(value))}
        value={values.defaultLanguage}
        error={errors.defaultLanguage}
        onChange={(value) =>
          set({ defaultLanguage: languages.find((one) => one.value === value)?.value ?? values.defaultLanguage })
        }
      />
      <Switch
        label="Text messages"
        description="Visitors can subscribe with a phone number. Each message takes a segment of the SMS add-on of the project."
        checked={values.textMessages}
        onChange={({ currentTarget: { checked } }) => set({ textMessages: checked })}
      />
      <Select
        label="When a component fails"
        allowDeselect={false}
        data={POLICIES}
        value={values.automatic}
        error={errors.automatic}
        onChange={(value) =>
          set({ automatic: POLICIES.find((known) => known.value === value)?.value ?? values.automatic })
        }
      />
      <TagsInput
        label="Alert emails"
        description="Get a mail when the status changes from operational to degraded, and back. Press Enter to add an address."
        value={values.alertEmails}
        error={errors.alertEmails}
        onChange={(alertEmails) => set({ alertEmails })}
      />
    </SettingsCard>
  );
}

import { Button, Checkbox, Select, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import type { SetupLink } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import { StateBadge } from '#ui/badge.tsx';
import { FormDialog, useFaults } from '#ui/dialog.tsx';
import { Card } from '#ui/page.tsx';
import { SecretOnce } from '#ui/SecretOnce.tsx';
import { Empty, Loaded } from '#ui/states.tsx';
import { Table } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';

type Task = SetupLink['tasks'][number];

const TASKS: readonly { task: Task; label: string }[] = [
  { task: 'domains', label: 'Domains' },
  { task: 'connection', label: 'Single sign-on' },
  { task: 'directory', label: 'Directory' },
  { task: 'policies', label: 'Policy' },
  { task: 'team', label: 'Team' },
];
const labelOf = (wanted: Task) => TASKS.find(({ task }) => task === wanted)?.label ?? wanted;

type LinksProps = { organizationId: string; canWrite: boolean };

/** The links with which an administrator of the customer sets the organization up. */
export function SetupLinks({ organizationId, canWrite }: LinksProps) {
  const [open, { open: show, close }] = useDisclosure(false);
  const [url, setUrl] = useState<string | null>(null);
  const links = useApi().useQuery('get', '/console/v1/organizations/{organizationId}/setup-links', {
    params: { path: { organizationId }, query: { limit: 100 } },
  });
  return (
    <Card
      flush
      title="Set-up links"
      about="With a link, an administrator of this customer sets the organization up without an account."
      actions={canWrite && <Button onClick={show}>Make link</Button>}
    >
      <Loaded query={links}>
        {({ items }) => (
          <Table
            label="Set-up links"
            rows={items}
            keyOf={({ id }) => id}
            empty={<Empty title="No set-up links yet">Links work until they expire or you revoke them.</Empty>}
            columns={[
              { name: 'For', cell: ({ tasks }) => tasks.map(labelOf).join(', ') },
              { name: 'State', cell: (link) => <StateBadge state={stateOf(link)} /> },
              { name: 'Sent to', wide: true, cell: ({ email }) => email ?? 'Nobody' },
              { name: 'Opened', wide: true, cell: ({ openedAt }) => <Time at={openedAt} none="Never" /> },
              { name: 'Expires', wide: true, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
              {
                name: '',
                align: 'right',
                cell: (link) =>
                  canWrite && link.status === 'active' && <RevokeLink organizationId={organizationId} link={link} />,
              },
            ]}
          />
        )}
      </Loaded>
      {open && <NewLink organizationId={organizationId} onMade={setUrl} onClose={close} />}
      {url && (
        <SecretOnce
          title="New set-up link"
          about="Give it only to the person who sets the organization up. It can’t be shown again."
          secret={url}
          onClose={() => setUrl(null)}
        />
      )}
    </Card>
  );
}

function stateOf({ status, completedAt }: SetupLink): string {
  return status === 'active' && completedAt ? 'completed' : status;
}

function RevokeLink({ organizationId, link: { id, tasks } }: { organizationId: string; link: SetupLink }) {
  const revoke = useAction(
    useApi().useMutation('delete', '/console/v1/organizations/{organizationId}/setup-links/{setupLinkId}'),
  );
  const onRevoke = () =>
    revoke.run(
      { params: { path: { organizationId, setupLinkId: id } } },
      {
        done: 'Link revoked',
        question: {
          title: 'Revoke this set-up link?',
          body: 'People who use it are stopped immediately, and invitations that it sent and nobody accepted are revoked. What was set up stays.',
          action: 'Revoke',
          danger: true,
        },
      },
    );
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-xs"
      aria-label={`Revoke the link for ${tasks.map(labelOf).join(', ')}`}
      loading={revoke.busy}
      onClick={onRevoke}
    >
      Revoke
    </Button>
  );
}

/** Seconds until a link expires. */
const LIFETIMES = [
  { value: '86400', label: 'In a day' },
  { value: '604800', label: 'In a week' },
  { value: '2592000', label: 'In 30 days' },
];
const LANGUAGES = [
  { value: '', label: 'Their browser’s' },
  { value: 'en', label: 'English' },
  { value: 'de', label: 'German' },
  { value: 'fr', label: 'French' },
  { value: 'es', label: 'Spanish' },
  { value: 'ja', label: 'Japanese' },
  { value: 'zh', label: 'Chinese' },
  { value: 'ar', label: 'Arabic' },
] as const;
type Language = (typeof LANGUAGES)[number]['value'];

type NewLinkProps = { organizationId: string; onMade: (url: string) => void; onClose: () => void };

function NewLink({ organizationId, onMade, onClose }: NewLinkProps) {
  const [tasks, setTasks] = useState<Task[]>(['domains', 'connection']);
  const [email, setEmail] = useState('');
  const [lifetime, setLifetime] = useState('604800');
  const [language, setLanguage] = useState<Language>('');
  const [returnUrl, setReturnUrl] = useState('');
  const [frameOrigin, setFrameOrigin] = useState('');
  const { faults, onProblem } = useFaults('email');
  const make = useAction(useApi().useMutation('post', '/console/v1/organizations/{organizationId}/setup-links'));
  const choose = (chosen: string[]) => setTasks(TASKS.map(({ task }) => task).filter((task) => chosen.includes(task)));
  const submit = async () => {
    const body = {
      tasks,
      expiresIn: Number(lifetime),
      ...(email !== '' && { email }),
      ...(language !== '' && { locale: language }),
      ...(returnUrl !== '' && { returnUrl }),
      ...(frameOrigin !== '' && { frameOrigin }),
      ...((tasks.includes('team') || tasks.includes('directory')) && { roles: ['admin'] }),
    };
    const made = await make.run(
      { params: { path: { organizationId } }, body },
      { done: 'Link made', change: 'Make link', onProblem },
    );
    if (!made) return;
    onClose();
    onMade(made.url);
  };
  return (
    <FormDialog
      title="Make a set-up link"
      action="Make link"
      ready={tasks.length > 0}
      busy={make.busy}
      onSubmit={submit}
      onClose={onClose}
    >
      <Checkbox.Group label="What can be set up" value={tasks} onChange={choose}>
        <Stack gap="xs" mt="xs">
          {TASKS.map(({ task, label }) => (
            <Checkbox key={task} label={label} value={task} />
          ))}
        </Stack>
      </Checkbox.Group>
      <TextInput
        data-autofocus
        type="email"
        label="Email address"
        description="Receives the link. Without it, you pass the link on yourself."
        maxLength={254}
        value={email}
        error={faults['email']}
        onChange={({ currentTarget: { value } }) => setEmail(value)}
      />
      <Select
        label="Expires"
        allowDeselect={false}
        data={LIFETIMES}
        value={lifetime}
        error={faults['expiresIn']}
        onChange={(chosen) => setLifetime(chosen ?? '604800')}
      />
      <Select
        label="Language"
        allowDeselect={false}
        data={[...LANGUAGES]}
        value={language}
        error={faults['locale']}
        onChange={(chosen) => setLanguage(LANGUAGES.find(({ value }) => value === chosen)?.value ?? '')}
      />
      <TextInput
        type="url"
        label="Return address"
        description="Where the last page leads, at an address of one of your applications."
        placeholder="https://app.example.com/settings"
        maxLength={2_000}
        value={returnUrl}
        error={faults['returnUrl']}
        onChange={({ currentTarget: { value } }) => setReturnUrl(value)}
      />
      <TextInput
        type="url"
        label="Shown in a frame at"
        description="The origin of one of your applications. Without it, no page can frame the pages of the link."
        placeholder="https://app.example.com"
        maxLength={300}
        value={frameOrigin}
        error={faults['frameOrigin']}
        onChange={({ currentTarget: { value } }) => setFrameOrigin(value)}
      />
    </FormDialog>
  );
}

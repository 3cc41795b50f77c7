import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { problemOf } from '#api/problem.ts';
import type { PermissionCheck } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { Badge } from '#ui/badge.tsx';
import { Card, Page } from '#ui/page.tsx';
import { Loaded, Needs } from '#ui/states.tsx';
import { OrganizationSelect } from '../organizations/OrganizationSelect.tsx';
import { MemberSelect } from '../people/MemberSelect.tsx';
import { AuthorizationTabs } from './AuthorizationTabs.tsx';
import { DENIALS, reasonsOf } from './reasons.ts';

type Question = { memberId: string; permission: string; organizationId?: string; resource?: string };
const NOTHING: Question = { memberId: '', permission: '' };

/** Asks whether a member has a permission, and explains the response. */
export function Check() {
  const [asked, setAsked] = useState<Question | null>(null);
  const check = useApi().useQuery(
    'post',
    '/console/v1/authorization/check',
    { body: asked ?? NOTHING },
    { enabled: asked !== null, gcTime: 0 },
  );
  const faults = check.error ? problemOf(check.error).fields : {};
  const isShownAtField = ['resource', 'organizationId'].some((field) => field in faults);
  const onAsk = (question: Question) => {
    // The same question again may have another response by now.
    if (JSON.stringify(asked) === JSON.stringify(question)) check.refetch().catch(() => undefined);
    setAsked(question);
  };
  return (
    <Page title="Authorization" about="What a member may do in the project, in an organization, or with a resource.">
      <AuthorizationTabs />
      <Needs permission="members:read">
        <Card title="Check a permission">
          <QuestionForm faults={faults} onAsk={onAsk} />
        </Card>
      </Needs>
      {asked && !isShownAtField && (
        <Card title="Result">
          <div aria-live="polite">
            <Loaded query={check}>{(result) => <Explained result={result} />}</Loaded>
          </div>
        </Card>
      )}
    </Page>
  );
}

type FormProps = { faults: Readonly<Record<string, string>>; onAsk: (question: Question) => void };

function QuestionForm({ faults, onAsk }: FormProps) {
  const api = useApi();
  const [memberId, setMemberId] = useState<string | null>(null);
  const [permission, setPermission] = useState<string | null>(null);
  const [organizationId, setOrganizationId] = useState<string | null>(null);
  const [resource, setResource] = useState('');
  const canNameOrganizations = useCan('organizations:read');
  const permissions = api.useQuery('get', '/console/v1/permissions', { params: { query: { limit: 100 } } });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (memberId === null || permission === null) return;
    const id = resource.trim();
    onAsk({ memberId, permission, ...(organizationId && { organizationId }), ...(id && { resource: id }) });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md" maw={520}>
        <MemberSelect label="Member" value={memberId} onChange={setMemberId} />
        <Select
          required
          searchable
          label="Permission"
          data={(permissions.data?.items ?? []).map(({ key }) => key)}
          value={permission}
          onChange={setPermission}
        />
        <TextInput
          label="Resource"
          description="Its type and id, such as document:7. Empty: the project, or the organization below."
          value={resource}
          error={faults['resource']}
          onChange={({ currentTarget: { value } }) => setResource(value)}
        />
        {canNameOrganizations && (
          <OrganizationSelect
            label="Organization"
            description="With one, only this one of the member’s organizations counts."
            value={organizationId}
            error={faults['organizationId']}
            onChange={setOrganizationId}
          />
        )}
        <Group>
          <Button type="submit" disabled={memberId === null || permission === null}>
            Check
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Explained({ result }: { result: PermissionCheck }) {
  return (
    <Stack gap="sm">
      <div>{result.allowed ? <Badge tone="good">Allowed</Badge> : <Badge tone="bad">Not allowed</Badge>}</div>
      {result.denial !== null && <Text size="sm">{DENIALS[result.denial]}</Text>}
      {result.allowed && (
        <ul>
          {reasonsOf(result).map((reason) => (
            <li key={reason}>
              <Text size="sm">{reason}</Text>
            </li>
          ))}
        </ul>
      )}
    </Stack>
  );
}

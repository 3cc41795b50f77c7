import { Anchor, Checkbox, MultiSelect, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Api, Application } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Fields, type RecordForm } from '#ui/form.tsx';
import { Card } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';

/** The kind `web` has no client credentials grant. */
const FOR_ITSELF = ' To call an API as itself, a server needs a second application: a back end.';

type Props = { form: RecordForm<Application>; canWrite: boolean };

/** The APIs that an application may get tokens for, with the scopes of each. */
export function ApiGrants({ form, canWrite }: Props) {
  const at = useAt();
  const apis = useApi().useQuery('get', '/console/v1/apis', { params: { query: { limit: 100 } } });
  const { kind } = form.values;
  return (
    <Card
      split
      title="APIs"
      about={
        kind === 'management'
          ? 'Your own APIs that it gets access tokens for, as itself.'
          : `Your own APIs that it may get people’s access tokens for.${kind === 'web' ? FOR_ITSELF : ''}`
      }
    >
      <Loaded query={apis}>
        {({ items }) => (
          <Fields canWrite={canWrite}>
            {items.length === 0 && (
              <Text size="sm" c="var(--lk-quiet)">
                This project has no APIs yet.{' '}
                <Anchor component={Link} to={at('/apis')} size="sm">
                  APIs
                </Anchor>
              </Text>
            )}
            {items.map((api) => (
              <Grant key={api.id} api={api} form={form} />
            ))}
            {form.errors.apis !== undefined && (
              <Text size="sm" c="var(--lk-bad)" role="alert">
                {form.errors.apis}
              </Text>
            )}
          </Fields>
        )}
      </Loaded>
    </Card>
  );
}

function Grant({ api, form }: { api: Api; form: RecordForm<Application> }) {
  const { apis, kind } = form.values;
  const { identifier } = api;
  const field = kind === 'management' ? 'machineScopes' : 'scopes';
  const granted = apis.find((grant) => grant.identifier === identifier);
  const others = apis.filter((grant) => grant.identifier !== identifier);
  const grant = (scopes: string[]) => {
    const none = { identifier, scopes: [], machineScopes: [] };
    form.set({ apis: [...others, { ...none, [field]: scopes }] });
  };
  return (
    <Stack gap="xs">
      <Checkbox
        label={api.name}
        description={identifier}
        checked={granted !== undefined}
        onChange={({ currentTarget: { checked } }) => (checked ? grant([]) : form.set({ apis: others }))}
      />
      {granted && api.scopes.length > 0 && (
        <MultiSelect
          ms="xl"
          label={`Scopes of ${api.name}`}
          searchable
          data={api.scopes.map(({ name }) => name)}
          value={granted[field]}
          onChange={grant}
        />
      )}
    </Stack>
  );
}

import { ActionIcon, Button, Text, TextInput } from '@mantine/core';
import type { Api } from '#api/records.ts';
import { Fields, type RecordForm } from '#ui/form.tsx';
import { RemoveIcon } from '#ui/icons.ts';
import { Card } from '#ui/page.tsx';
import classes from './apis.module.css';

type Scope = Api['scopes'][number];

/** The scopes of an API, one row each. */
export function ApiScopes({ form, canWrite }: { form: RecordForm<Api>; canWrite: boolean }) {
  const { scopes } = form.values;
  const replace = (index: number, changes: Partial<Scope>) =>
    form.set({ scopes: scopes.map((scope, at) => (at === index ? { ...scope, ...changes } : scope)) });
  return (
    <Card
      split
      title="Scopes"
      about="What applications may be granted. A scope that you remove ends for every application and every person who allowed it."
    >
      <Fields canWrite={canWrite}>
        {scopes.length === 0 && (
          <Text size="sm" c="var(--lk-quiet)">
            No scopes yet. Tokens identify the person, but not what the application may do.
          </Text>
        )}
        {scopes.map((scope, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity while its name is typed
          <div key={index} className={classes.scope}>
            <TextInput
              required
              label="Scope"
              placeholder="orders:read"
              maxLength={100}
              value={scope.name}
              onChange={({ currentTarget: { value } }) => replace(index, { name: value })}
            />
            <TextInput
              label="Description"
              placeholder="See your orders"
              maxLength={200}
              value={scope.description}
              onChange={({ currentTarget: { value } }) => replace(index, { description: value })}
            />
            {canWrite && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="input-sm"
                aria-label={`Remove the scope ${scope.name || index + 1}`}
                onClick={() => form.set({ scopes: scopes.filter((_, at) => at !== index) })}
              >
                <RemoveIcon size={16} aria-hidden />
              </ActionIcon>
            )}
          </div>
        ))}
        {form.errors.scopes !== undefined && (
          <Text size="sm" c="var(--lk-bad)" role="alert">
            {form.errors.scopes}
          </Text>
        )}
        {canWrite && (
          <Button
            variant="default"
            w="fit-content"
            onClick={() => form.set({ scopes: [...scopes, { name: '', description: '' }] })}
          >
            Add scope
          </Button>
        )}
      </Fields>
    </Card>
  );
}

import { Button, Menu, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useState } from 'react';
import { useScope } from '#api/scope.tsx';
import { FormDialog } from './dialog.tsx';
import { BookmarkIcon } from './icons.ts';
import { type Filters, kept, parseSearch, stringifySearch, useFilters } from './search.ts';

/** What belongs to a page of a list, not to its filters. */
const OF_PAGE = ['cursor', 'event', 'new'];

type View = { name: string; search: string };

/** The filters of a list that the person keeps in this browser, by name; they may name records of one environment. */
export function Views({ label }: { label: string }) {
  const [filters, setFilters] = useFilters();
  const { projectId, environment } = useScope();
  const [asking, setAsking] = useState(false);
  const [views, setViews] = useLocalStorage<readonly View[]>({
    key: `latchkey-console-views ${projectId}/${environment} ${label}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const here = stringifySearch(withoutPage(filters));
  const present = views.find(({ search }) => search === here);
  const open = (search: string) => {
    const none = Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]));
    setFilters({ ...none, ...parseSearch(search) });
  };
  if (here === '' && views.length === 0) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" size="xs" leftSection={<BookmarkIcon size={14} aria-hidden />}>
            Filters
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.map(({ name, search }) => (
            <Menu.Item key={name} onClick={() => open(search)}>
              {name}
            </Menu.Item>
          ))}
          {views.length > 0 && <Menu.Divider />}
          <Menu.Item disabled={here === ''} onClick={() => setAsking(true)}>
            Keep these filters…
          </Menu.Item>
          {present && (
            <Menu.Item onClick={() => setViews(views.filter((view) => view !== present))}>
              Forget “{present.name}”
            </Menu.Item>
          )}
          <Menu.Item disabled={here === ''} onClick={() => open('')}>
            Clear all filters
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asking && (
        <AskName
          onClose={() => setAsking(false)}
          onName={(name) => {
            setViews([...views.filter((view) => view.name !== name), { name, search: here }]);
            setAsking(false);
          }}
        />
      )}
    </>
  );
}

function withoutPage(filters: Filters): Filters {
  return kept(Object.fromEntries(Object.entries(filters).filter(([name]) => !OF_PAGE.includes(name))));
}

function AskName({ onName, onClose }: { onName: (name: string) => void; onClose: () => void }) {
  const [name, setName] = useState('');
  return (
    <FormDialog
      title="Keep these filters"
      action="Keep"
      ready={name.trim() !== ''}
      onSubmit={() => onName(name.trim())}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label="Name"
        description="In this browser; to share them, copy the address of the page."
        maxLength={40}
        value={name}
        onChange={({ currentTarget: { value } }) => setName(value)}
      />
    </FormDialog>
  );
}

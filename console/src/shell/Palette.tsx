import { Modal, TextInput, useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue, useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import { clientFor } from '#api/client.ts';
import { useSession } from '#api/session.ts';
import { useFocusBack } from '#ui/focus.ts';
import { SearchIcon } from '#ui/icons.ts';
import { linkTo } from '#ui/search.ts';
import { ACTIONS, type Command, matching, SYNONYMS, withRecent } from './commands.ts';
import { documentationOf } from './documentation.ts';
import { projectPlaces, workspacePlaces } from './navigation.ts';
import classes from './palette.module.css';
import { useHere, useSameScreen } from './place.ts';
import { recordOfId, useRecords } from './records.ts';

/** Opens any screen and finds members and projects, by keyboard. */
export function Palette({ onClose }: { onClose: () => void }) {
  useFocusBack();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const navigate = useNavigate();
  const commands = useCommands();
  const found = useFound(typed);
  const records = useOwnRecords(typed);
  const [recent, setRecent] = useRecent();
  const shown =
    typed === '' ? unique([...recent, ...commands]) : unique([...matching([...commands, ...records], typed), ...found]);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    setRecent(withRecent(recent, command));
    if (command.run) command.run();
    else if (command.to) Promise.resolve(navigate(linkTo(command.to))).catch(() => undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt((at + step + shown.length) % Math.max(1, shown.length));
    }
    if (event.key === 'Enter') run(shown[at]);
  };
  return (
    <Modal.Root opened onClose={onClose} padding={0} size={560} yOffset="12vh" centered={false}>
      <Modal.Overlay />
      <Modal.Content aria-label="Command palette">
        <TextInput
          data-autofocus
          variant="unstyled"
          size="md"
          px="md"
          py={4}
          role="combobox"
          aria-expanded
          aria-controls={id}
          aria-activedescendant={shown[at] ? `${id}-${at}` : undefined}
          aria-label="Search or jump to"
          placeholder="Find a record by name or id, a screen or an action"
          leftSection={<SearchIcon size={16} aria-hidden />}
          value={typed}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setAt(0);
          }}
        />
        <div id={id} role="listbox" aria-label="Results" className={classes.list} tabIndex={-1}>
          {shown.map((command, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled where the focus is, in the field above
            <div
              key={command.id}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              className={classes.option}
              onMouseMove={() => setAt(index)}
              onClick={() => run(command)}
            >
              <span>{command.label}</span>
              <span className={classes.kind}>{command.kind}</span>
            </div>
          ))}
          {shown.length === 0 && <div className={classes.none}>Nothing fits “{typed}”.</div>}
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}

function useCommands(): Command[] {
  const { workspace, project, environment } = useHere();
  const { workspaces, mode, installation } = useSession();
  const { setColorScheme } = useMantineColorScheme();
  const sameScreen = useSameScreen();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  return useMemo(() => {
    const permissions = new Set([
      ...(workspaces.find(({ id }) => id === workspace)?.permissions ?? []),
      ...installation.permissions,
    ]);
    const open = project
      ? projectPlaces
          .flatMap(({ places }) => places)
          .filter((place) => !place.developmentOnly || mode === 'development')
      : [];
    const places = [
      ...open.map((place) => ({
        ...place,
        own: place.path,
        path: `/${workspace}/${project}/${environment}${place.path}`,
      })),
      ...workspacePlaces.map((place) => ({ ...place, own: place.path, path: `/${workspace}${place.path}` })),
    ];
    const other = environment === 'test' ? 'production' : 'test';
    return [
      ...places
        .filter(({ permission }) => permission === undefined || permissions.has(permission))
        .map(({ path, label, own }) => ({ id: path, label, kind: 'Screen', also: SYNONYMS[own] ?? '', to: path })),
      ...(project
        ? ACTIONS.filter(({ permission }) => permissions.has(permission)).map(({ path, label, also }) => {
            const to = `/${workspace}/${project}/${environment}${path}`;
            return { id: to, label, kind: 'Action', also, to };
          })
        : []),
      ...(project
        ? [{ id: 'environment', label: `Switch to ${other}`, kind: 'Environment', to: sameScreen(project, other) }]
        : []),
      { id: 'docs', label: 'Documentation', kind: 'Help', run: () => openPage('/docs/') },
      {
        id: 'docs-here',
        label: 'Documentation of this screen',
        kind: 'Help',
        run: () => openPage(documentationOf(pathname)),
      },
      { id: 'light', label: 'Light theme', kind: 'Theme', run: () => setColorScheme('light') },
      { id: 'dark', label: 'Dark theme', kind: 'Theme', run: () => setColorScheme('dark') },
    ];
  }, [workspace, project, environment, workspaces, mode, installation, setColorScheme, sameScreen, pathname]);
}

function openPage(address: string): void {
  window.open(address, '_blank', 'noreferrer');
}

function useOwnRecords(typed: string): readonly Command[] {
  const { workspace, project, environment } = useHere();
  const { workspaces, installation } = useSession();
  const base = `/${workspace}/${project}/${environment}`;
  const own = workspaces.find(({ id }) => id === workspace)?.permissions ?? [];
  const permissions = new Set([...own, ...installation.permissions]);
  const records = useRecords({
    client: clientFor({ workspaceId: workspace, projectId: project, environment }),
    base,
    permissions,
    enabled: project !== null && typed.trim().length >= 2,
  });
  return project === null ? [] : [...recordOfId(base, typed, permissions), ...records];
}

/** What the operator opened last in this project and environment. */
function useRecent() {
  const { workspace, project, environment } = useHere();
  const { operator } = useSession();
  return useLocalStorage<Command[]>({
    key: `latchkey-console-recent ${operator.userId} ${workspace}/${project}/${environment}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
}

function unique(commands: readonly Command[]): Command[] {
  return [...new Map(commands.toReversed().map((command) => [command.id, command])).values()].toReversed().slice(0, 12);
}

/** Matching records and projects from the server. */
function useFound(typed: string): Command[] {
  const { workspace, project, environment } = useHere();
  const [q] = useDebouncedValue(typed.trim(), 150);
  const { data } = useQuery({
    queryKey: ['palette', workspace, project, environment, q],
    enabled: q.length >= 2,
    queryFn: async () => {
      const client = clientFor({ workspaceId: workspace, projectId: project, environment });
      return (await client.GET('/console/v1/search', { params: { query: { q } } })).data ?? null;
    },
  });
  if (!data || q.length < 2) return [];
  return [
    ...data.members.map(({ id, email, displayName }) => ({
      id,
      label: displayName ?? email ?? id,
      kind: displayName && email ? email : 'Member',
      to: `/${workspace}/${project}/${environment}/members/${id}`,
    })),
    ...data.projects.map(({ id, name }) => ({
      id,
      label: name,
      kind: 'Project',
      to: `/${workspace}/${id}/${environment ?? 'test'}`,
    })),
  ];
}

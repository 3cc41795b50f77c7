import { Popover, TextInput, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '#api/scope.tsx';
import { useSession } from '#api/session.ts';
import { SelectorIcon } from '#ui/icons.ts';
import { ProjectName } from './ProjectName.tsx';
import { useHere, useSameScreen } from './place.ts';
import classes from './shell.module.css';

/** Shows and switches the open workspace and project. */
export function Switcher() {
  const { workspace, project } = useHere();
  const { workspaces } = useSession();
  const [open, { toggle, close }] = useDisclosure(false);
  const name = workspaces.find(({ id }) => id === workspace)?.name ?? 'Workspace';
  return (
    <Popover
      opened={open}
      onChange={close}
      position="bottom-start"
      width={280}
      trapFocus
      returnFocus
      shadow="md"
      radius="md"
    >
      <Popover.Target>
        <UnstyledButton className={classes.switcher} onClick={toggle}>
          <span className={classes.logo} aria-hidden>
            {name.charAt(0).toUpperCase()}
          </span>
          <span className={classes.switcherNames}>
            <span className={classes.switcherProject}>
              <ProjectName />
            </span>
            <span className={classes.switcherWorkspace}>{project ? name : 'Workspace'}</span>
          </span>
          <VisuallyHidden>Change workspace or project</VisuallyHidden>
          <SelectorIcon size={16} aria-hidden />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label="Workspaces and projects">
        <Choices onChosen={close} />
      </Popover.Dropdown>
    </Popover>
  );
}

const isOpen = ({ deletesAt }: { deletesAt: string | null }) => deletesAt === null;

function Choices({ onChosen }: { onChosen: () => void }) {
  const { workspace, project, environment } = useHere();
  const { workspaces } = useSession();
  const sameScreen = useSameScreen();
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), 200);
  const query = { limit: 12, ...(q !== '' && { q }) };
  const projects = useApi().useQuery('get', '/console/v1/projects', { params: { query } });
  const others = workspaces.filter(({ id }) => id !== workspace);
  return (
    <div className={classes.choices}>
      <TextInput
        data-autofocus
        variant="unstyled"
        px="sm"
        aria-label="Find a project"
        placeholder="Find a project…"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <ul className={classes.choiceList}>
        {projects.data?.items.filter(isOpen).map(({ id, name }) => (
          <li key={id}>
            <Link
              to={sameScreen(id, environment ?? 'test')}
              className={classes.choice}
              onClick={onChosen}
              data-here={id === project}
            >
              {name}
            </Link>
          </li>
        ))}
        {projects.data?.items.length === 0 && <li className={classes.choiceNone}>No matching projects.</li>}
        <li>
          <Link to={`/${workspace}/projects`} className={classes.choice} onClick={onChosen}>
            All projects
          </Link>
        </li>
      </ul>
      {others.length > 0 && (
        <ul className={classes.choiceList} aria-label="Other workspaces">
          {others.map(({ id, name }) => (
            <li key={id}>
              <Link to={`/${id}/projects`} className={classes.choice} onClick={onChosen}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

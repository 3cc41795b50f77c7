import { ActionIcon, Drawer } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { useSession } from '#api/session.ts';
import { Documentation } from '#ui/documentation.ts';
import { MenuIcon, SearchIcon } from '#ui/icons.ts';
import { Loading } from '#ui/states.tsx';
import { Announcement } from './Announcement.tsx';
import { documentationOf } from './documentation.ts';
import { EnvironmentMark } from './Environments.tsx';
import { rememberPlace, useHere } from './place.ts';
import { Sidebar } from './Sidebar.tsx';
import { SignInAgain } from './SignInAgain.tsx';
import classes from './shell.module.css';

const ClosedWorkspace = lazy(() =>
  import('#screens/workspace/ClosedWorkspace.tsx').then(({ ClosedWorkspace: component }) => ({ default: component })),
);
const Palette = lazy(() => import('./Palette.tsx').then(({ Palette: component }) => ({ default: component })));

/** The frame of every screen: location, navigation and environment. */
export function Shell() {
  const here = useHere();
  const { workspace, project, environment } = here;
  const closed = useSession().workspaces.find(({ id, deletesAt }) => id === workspace && deletesAt !== null);
  const [menu, menuControl] = useDisclosure(false);
  const [palette, paletteControl] = useDisclosure(false);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  useHotkeys([['mod+K', paletteControl.toggle]], []);
  useEffect(() => rememberPlace({ workspace, project, environment }), [workspace, project, environment]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when the screen changes
  useEffect(() => menuControl.close(), [pathname]);
  return (
    <div className={classes.shell} data-environment={environment ?? 'none'}>
      <a href="#content" className={classes.skip}>
        Skip to content
      </a>
      <div className={classes.band} aria-hidden />
      <aside className={classes.sidebar} aria-label="Console">
        <Sidebar onSearch={paletteControl.open} />
      </aside>
      <header className={classes.topBar}>
        <ActionIcon variant="subtle" color="gray" size="lg" onClick={menuControl.open} aria-label="Open the menu">
          <MenuIcon size={20} />
        </ActionIcon>
        <EnvironmentMark />
        <ActionIcon variant="subtle" color="gray" size="lg" onClick={paletteControl.open} aria-label="Search">
          <SearchIcon size={20} />
        </ActionIcon>
      </header>
      <main id="content" className={classes.content} tabIndex={-1}>
        <Documentation value={documentationOf(pathname)}>
          <Suspense fallback={<Loading />}>
            {closed?.deletesAt ? <ClosedWorkspace name={closed.name} deletesAt={closed.deletesAt} /> : <Outlet />}
          </Suspense>
        </Documentation>
      </main>
      <Drawer.Root opened={menu} onClose={menuControl.close} size={280} padding={0}>
        <Drawer.Overlay />
        <Drawer.Content aria-label="Menu">
          <Sidebar onSearch={paletteControl.open} />
        </Drawer.Content>
      </Drawer.Root>
      {palette && (
        <Suspense fallback={null}>
          <Palette onClose={paletteControl.close} />
        </Suspense>
      )}
      <SignInAgain />
      <Announcement />
    </div>
  );
}

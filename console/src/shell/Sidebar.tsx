import { Link } from '@tanstack/react-router';
import { useCan } from '#api/scope.tsx';
import { useSession } from '#api/session.ts';
import { EnvironmentSwitch } from './Environments.tsx';
import { type Place, projectPlaces, workspacePlaces } from './navigation.ts';
import { OperatorMenu } from './OperatorMenu.tsx';
import { useAt, useHere } from './place.ts';
import { SearchButton } from './SearchButton.tsx';
import { Switcher } from './Switcher.tsx';
import classes from './shell.module.css';

export function Sidebar({ onSearch }: { onSearch: () => void }) {
  const { workspace, project } = useHere();
  const at = useAt();
  return (
    <div className={classes.sidebarInside}>
      <Switcher />
      <EnvironmentSwitch />
      <SearchButton onClick={onSearch} />
      <nav className={classes.nav} aria-label="Screens">
        {project &&
          projectPlaces.map(({ name, places }) => (
            <NavGroup key={name ?? ''} name={name} places={places} addressOf={({ path }) => at(path)} />
          ))}
        <NavGroup name="Workspace" places={workspacePlaces} addressOf={({ path }) => `/${workspace}${path}`} />
      </nav>
      <OperatorMenu />
    </div>
  );
}

type GroupProps = { name: string | null; places: readonly Place[]; addressOf: (place: Place) => string };

function NavGroup({ name, places, addressOf }: GroupProps) {
  return (
    <div className={classes.group}>
      {name && <div className={classes.groupName}>{name}</div>}
      <ul className={classes.list}>
        {places.map((place) => (
          <NavItem key={place.path} place={place} to={addressOf(place)} />
        ))}
      </ul>
    </div>
  );
}

function NavItem({ place, to }: { place: Place; to: string }) {
  const { mode } = useSession();
  const allowed = useCan(place.permission ?? '') || place.permission === undefined;
  if (!allowed || (place.developmentOnly && mode !== 'development')) return null;
  const { icon: Icon, label, path } = place;
  return (
    <li>
      <Link to={to} className={classes.item} activeOptions={{ exact: path === '', includeSearch: false }}>
        <Icon size={16} aria-hidden />
        {label}
      </Link>
    </li>
  );
}

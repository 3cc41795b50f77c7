import { Link } from '@tanstack/react-router';
import { ProjectName } from './ProjectName.tsx';
import { useHere, useSameScreen } from './place.ts';
import classes from './shell.module.css';

const NAMES = { test: 'Test', production: 'Production' } as const;

/** Switches between test and production on the same screen. */
export function EnvironmentSwitch() {
  const { project, environment } = useHere();
  const sameScreen = useSameScreen();
  if (!project) return null;
  return (
    <nav className={classes.environments} aria-label="Environment">
      {(['test', 'production'] as const).map((name) => (
        <Link
          key={name}
          to={sameScreen(project, name)}
          className={classes.environment}
          data-environment={name}
          data-current={environment === name}
          activeProps={{}}
        >
          {NAMES[name]}
        </Link>
      ))}
    </nav>
  );
}

/** On narrow screens: the project and its environment, in its colour. */
export function EnvironmentMark() {
  const { project, environment } = useHere();
  return (
    <div className={classes.mark}>
      <ProjectName />
      {project && environment && <span className={classes.markPill}>{NAMES[environment]}</span>}
    </div>
  );
}

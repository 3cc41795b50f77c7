import { Link } from '@tanstack/react-router';
import { useAt } from '#shell/place.ts';
import { Card } from '#ui/page.tsx';
import classes from './overview.module.css';

const STEPS = [
  {
    path: '/applications/new',
    title: 'Add your application',
    about: 'Say where it runs and copy the code that signs people in.',
  },
  {
    path: '/sign-in',
    title: 'Choose how people sign in',
    about: 'Passwords, passkeys, mailed links and codes, other providers.',
  },
  { path: '/branding', title: 'Make the pages yours', about: 'Logo, colours and words, seen on the real page.' },
  {
    path: '/webhooks',
    title: 'Hear what happens',
    about: 'Every event at your back end, signed, retried, and logged.',
  },
];

/** What a new environment needs, in order. */
export function FirstSteps() {
  const at = useAt();
  return (
    <Card title="Begin here" about="Nobody but you is in this environment yet.">
      <ol className={classes.steps}>
        {STEPS.map(({ path, title, about }) => (
          <li key={path}>
            <Link to={at(path)}>{title}</Link>
            <span>{about}</span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

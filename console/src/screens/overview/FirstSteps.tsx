import { Link } from '@tanstack/react-router';
import { useAt } from '#shell/place.ts';
import { Card } from '#ui/page.tsx';
import classes from './overview.module.css';

const STEPS = [
  {
    path: '/applications/new',
    title: 'Add your application',
    about: 'Choose where it runs and copy the sample code for sign-in.',
  },
  {
    path: '/sign-in',
    title: 'Choose how people sign in',
    about: 'Passwords, passkeys, mailed links and codes, identity providers.',
  },
  { path: '/branding', title: 'Customize the pages', about: 'Logo, colours and texts, with a live preview.' },
  {
    path: '/webhooks',
    title: 'Receive events',
    about: 'Webhooks to your back end, signed, retried and logged.',
  },
];

/** The set-up steps of a new environment, in order. */
export function FirstSteps() {
  const at = useAt();
  return (
    <Card title="Get started" about="This environment has no members yet.">
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

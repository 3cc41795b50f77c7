import { VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clientFor, dataOf } from '#api/client.ts';
import type { Overview } from '#api/records.ts';
import { useApi, useCan, useScope } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { CheckIcon } from '#ui/icons.ts';
import { Card } from '#ui/page.tsx';
import classes from './overview.module.css';
import { type State, stepsOf } from './steps.ts';

const FIRST = { params: { query: { limit: 100 } } };

/** What a new project needs, until it has it. Derived from what there is. */
export function FirstSteps({ totals }: { totals: Overview['totals'] }) {
  const at = useAt();
  const state = useProjectState(totals);
  const steps = state ? stepsOf(state) : [];
  if (steps.length === 0) return null;
  const done = steps.filter((step) => step.done).length;
  return (
    <Card title="First steps" about={`${done} of ${steps.length} done`}>
      <ol className={classes.steps}>
        {steps.map((step) => (
          <li key={step.path} data-done={step.done}>
            <span className={classes.mark} aria-hidden>
              {step.done && <CheckIcon size={12} />}
            </span>
            <div>
              <Link to={at(step.path)}>{step.title}</Link>
              {step.done && <VisuallyHidden> (done)</VisuallyHidden>}
              <p>{step.optional ? `Optional. ${step.about}` : step.about}</p>
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** @returns null until everything that the operator may read is loaded */
function useProjectState(totals: Overview['totals']): State | null {
  const api = useApi();
  const scope = useScope();
  const canApplications = useCan('applications:read');
  const isTest = scope.environment === 'test';
  const applications = api.useQuery('get', '/console/v1/applications', FIRST, { enabled: canApplications });
  const inProduction = useQuery({
    queryKey: ['applications of production'],
    queryFn: () => dataOf(clientFor({ ...scope, environment: 'production' }).GET('/console/v1/applications', FIRST)),
    enabled: canApplications && isTest,
  });
  const settings = api.useQuery('get', '/console/v1/settings', {}, { enabled: useCan('settings:read') });
  const endpoints = api.useQuery('get', '/console/v1/webhooks/endpoints', FIRST, { enabled: useCan('webhooks:read') });
  if ([applications, inProduction, settings, endpoints].some(({ isLoading }) => isLoading)) return null;
  return {
    totals,
    applications: applications.data?.items ?? null,
    inProduction: inProduction.data?.items ?? null,
    branding: settings.data?.branding ?? null,
    endpoints: endpoints.data?.items ?? null,
  };
}

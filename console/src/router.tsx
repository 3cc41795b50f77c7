import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { problemOf } from '#api/problem.ts';
import { ScopeProvider } from '#api/scope.tsx';
import { knownSession, loadSession, signInAddress } from '#api/session.ts';
import { authorizationScreens } from '#screens/authorization/screens.ts';
import { organizationScreens } from '#screens/organizations/screens.ts';
import { environmentOf, lastPlace, useHere } from '#shell/place.ts';
import { Shell } from '#shell/Shell.tsx';
import { SignedIn } from '#shell/SignInAgain.tsx';
import { kept, parseSearch, stringifySearch } from '#ui/search.ts';
import { Failure, Loading } from '#ui/states.tsx';

const root = createRootRoute({
  validateSearch: kept,
  beforeLoad: async ({ location }) => {
    if (knownSession() ?? (await loadSession())) return;
    window.location.assign(signInAddress(`/console${location.href}`));
    // The browser is navigating away; render nothing until then.
    await new Promise(() => undefined);
  },
  component: Outlet,
  pendingComponent: () => <Loading />,
  errorComponent: ({ error, reset }) => <Failure problem={problemOf(error)} onRetry={reset} />,
  notFoundComponent: () => <NotFound />,
});

function NotFound() {
  return <Failure problem={{ ...problemOf(null), status: 404 }} />;
}

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    const workspaces = knownSession()?.workspaces ?? [];
    const [first] = workspaces;
    if (first) throw redirect({ to: lastPlace(workspaces) ?? `/${first.id}/projects` });
  },
  component: lazyRouteComponent(() => import('#screens/workspace/NoWorkspace.tsx'), 'NoWorkspace'),
});

const signedIn = createRoute({ getParentRoute: () => root, path: '/signed-in', component: SignedIn });

const workspace = createRoute({ getParentRoute: () => root, path: '/$workspace', component: Workspace });

function Workspace() {
  const { workspace: workspaceId } = useHere();
  return (
    <ScopeProvider scope={{ workspaceId, projectId: null, environment: null }}>
      <Shell />
    </ScopeProvider>
  );
}

const project = createRoute({
  getParentRoute: () => workspace,
  path: '/$project/$environment',
  beforeLoad: ({ params }) => {
    if (!environmentOf(params.environment)) throw redirect({ to: `/${params.workspace}/${params.project}/test` });
  },
  component: Project,
});

function Project() {
  const { workspace: workspaceId, project: projectId, environment } = useHere();
  return (
    <ScopeProvider scope={{ workspaceId, projectId, environment }}>
      <Outlet />
    </ScopeProvider>
  );
}

type Screen = ReturnType<typeof lazyRouteComponent>;

const under = <P extends typeof workspace | typeof project>(parent: P, path: string, component: Screen) =>
  createRoute({ getParentRoute: () => parent, path, component });

const workspaceScreens = [
  under(
    workspace,
    '/',
    lazyRouteComponent(() => import('#screens/workspace/Projects.tsx'), 'Projects'),
  ),
  under(
    workspace,
    '/projects',
    lazyRouteComponent(() => import('#screens/workspace/Projects.tsx'), 'Projects'),
  ),
  under(
    workspace,
    '/team',
    lazyRouteComponent(() => import('#screens/workspace/Team.tsx'), 'Team'),
  ),
  under(
    workspace,
    '/team/log-streams',
    lazyRouteComponent(() => import('#screens/log-streams/LogStreams.tsx'), 'LogStreams'),
  ),
  under(
    workspace,
    '/team/log-streams/$id',
    lazyRouteComponent(() => import('#screens/log-streams/LogStream.tsx'), 'LogStream'),
  ),
  under(
    workspace,
    '/workspace',
    lazyRouteComponent(() => import('#screens/workspace/WorkspaceSettings.tsx'), 'WorkspaceSettings'),
  ),
];

const projectScreens = [
  under(
    project,
    '/',
    lazyRouteComponent(() => import('#screens/overview/Overview.tsx'), 'Overview'),
  ),
  under(
    project,
    '/members',
    lazyRouteComponent(() => import('#screens/people/Members.tsx'), 'Members'),
  ),
  under(
    project,
    '/members/import',
    lazyRouteComponent(() => import('#screens/people/Imports.tsx'), 'Imports'),
  ),
  under(
    project,
    '/members/import/$id',
    lazyRouteComponent(() => import('#screens/people/Import.tsx'), 'Import'),
  ),
  under(
    project,
    '/members/$id',
    lazyRouteComponent(() => import('#screens/people/Member.tsx'), 'Member'),
  ),
  under(
    project,
    '/invitations',
    lazyRouteComponent(() => import('#screens/people/Invitations.tsx'), 'Invitations'),
  ),
  ...organizationScreens.map(([path, screen]) => under(project, path, screen)),
  under(
    project,
    '/roles',
    lazyRouteComponent(() => import('#screens/people/Roles.tsx'), 'Roles'),
  ),
  ...authorizationScreens.map(([path, screen]) => under(project, path, screen)),
  under(
    project,
    '/applications',
    lazyRouteComponent(() => import('#screens/applications/Applications.tsx'), 'Applications'),
  ),
  under(
    project,
    '/applications/new',
    lazyRouteComponent(() => import('#screens/applications/NewApplication.tsx'), 'NewApplication'),
  ),
  under(
    project,
    '/applications/$id',
    lazyRouteComponent(() => import('#screens/applications/Application.tsx'), 'Application'),
  ),
  under(
    project,
    '/apis',
    lazyRouteComponent(() => import('#screens/apis/Apis.tsx'), 'Apis'),
  ),
  under(
    project,
    '/apis/$id',
    lazyRouteComponent(() => import('#screens/apis/Api.tsx'), 'Api'),
  ),
  under(
    project,
    '/sign-in',
    lazyRouteComponent(() => import('#screens/sign-in/SignIn.tsx'), 'SignIn'),
  ),
  under(
    project,
    '/providers',
    lazyRouteComponent(() => import('#screens/sign-in/Providers.tsx'), 'Providers'),
  ),
  under(
    project,
    '/providers/$id',
    lazyRouteComponent(() => import('#screens/sign-in/Provider.tsx'), 'Provider'),
  ),
  under(
    project,
    '/branding',
    lazyRouteComponent(() => import('#screens/sign-in/Branding.tsx'), 'Branding'),
  ),
  under(
    project,
    '/messages',
    lazyRouteComponent(() => import('#screens/messages/Messages.tsx'), 'Messages'),
  ),
  under(
    project,
    '/messages/sent',
    lazyRouteComponent(() => import('#screens/messages/SentMessages.tsx'), 'SentMessages'),
  ),
  under(
    project,
    '/messages/$template',
    lazyRouteComponent(() => import('#screens/messages/Template.tsx'), 'Template'),
  ),
  under(
    project,
    '/domains',
    lazyRouteComponent(() => import('#screens/domains/Domains.tsx'), 'Domains'),
  ),
  under(
    project,
    '/domains/$id',
    lazyRouteComponent(() => import('#screens/domains/Domain.tsx'), 'Domain'),
  ),
  under(
    project,
    '/webhooks',
    lazyRouteComponent(() => import('#screens/webhooks/Endpoints.tsx'), 'Endpoints'),
  ),
  under(
    project,
    '/webhooks/deliveries',
    lazyRouteComponent(() => import('#screens/webhooks/Deliveries.tsx'), 'Deliveries'),
  ),
  under(
    project,
    '/webhooks/deliveries/$id',
    lazyRouteComponent(() => import('#screens/webhooks/Delivery.tsx'), 'Delivery'),
  ),
  under(
    project,
    '/webhooks/event-types',
    lazyRouteComponent(() => import('#screens/webhooks/EventTypes.tsx'), 'EventTypes'),
  ),
  under(
    project,
    '/webhooks/$id',
    lazyRouteComponent(() => import('#screens/webhooks/Endpoint.tsx'), 'Endpoint'),
  ),
  under(
    project,
    '/log-streams',
    lazyRouteComponent(() => import('#screens/log-streams/LogStreams.tsx'), 'LogStreams'),
  ),
  under(
    project,
    '/log-streams/$id',
    lazyRouteComponent(() => import('#screens/log-streams/LogStream.tsx'), 'LogStream'),
  ),
  under(
    project,
    '/events',
    lazyRouteComponent(() => import('#screens/logs/Events.tsx'), 'Events'),
  ),
  under(
    project,
    '/audit',
    lazyRouteComponent(() => import('#screens/logs/Audit.tsx'), 'Audit'),
  ),
  under(
    project,
    '/inbox',
    lazyRouteComponent(() => import('#screens/messages/Inbox.tsx'), 'Inbox'),
  ),
  under(
    project,
    '/sms',
    lazyRouteComponent(() => import('#screens/sms/Sms.tsx'), 'Sms'),
  ),
  under(
    project,
    '/sms/guard',
    lazyRouteComponent(() => import('#screens/sms/Guard.tsx'), 'Guard'),
  ),
  under(
    project,
    '/sms/statements',
    lazyRouteComponent(() => import('#screens/sms/Statements.tsx'), 'Statements'),
  ),
  under(
    project,
    '/sms/statements/$id',
    lazyRouteComponent(() => import('#screens/sms/Statement.tsx'), 'Statement'),
  ),
  under(
    project,
    '/status',
    lazyRouteComponent(() => import('#screens/status/Status.tsx'), 'Status'),
  ),
  under(
    project,
    '/status/components',
    lazyRouteComponent(() => import('#screens/status/Components.tsx'), 'Components'),
  ),
  under(
    project,
    '/status/components/$id',
    lazyRouteComponent(() => import('#screens/status/Component.tsx'), 'Component'),
  ),
  under(
    project,
    '/status/groups/$id',
    lazyRouteComponent(() => import('#screens/status/Group.tsx'), 'Group'),
  ),
  under(
    project,
    '/status/maintenance',
    lazyRouteComponent(() => import('#screens/status/Maintenances.tsx'), 'Maintenances'),
  ),
  under(
    project,
    '/status/maintenance/$id',
    lazyRouteComponent(() => import('#screens/status/Maintenance.tsx'), 'Maintenance'),
  ),
  under(
    project,
    '/status/subscribers',
    lazyRouteComponent(() => import('#screens/status/Subscribers.tsx'), 'Subscribers'),
  ),
  under(
    project,
    '/status/settings',
    lazyRouteComponent(() => import('#screens/status/Settings.tsx'), 'Settings'),
  ),
  under(
    project,
    '/status/$id',
    lazyRouteComponent(() => import('#screens/status/Incident.tsx'), 'Incident'),
  ),
  under(
    project,
    '/settings',
    lazyRouteComponent(() => import('#screens/workspace/ProjectSettings.tsx'), 'ProjectSettings'),
  ),
];

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    signedIn,
    workspace.addChildren([...workspaceScreens, project.addChildren(projectScreens)]),
  ]),
  basepath: '/console',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingComponent: () => <Loading />,
});

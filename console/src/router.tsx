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
import { actionsScreens } from '#screens/actions/screens.ts';
import { apisScreens } from '#screens/apis/screens.ts';
import { applicationsScreens } from '#screens/applications/screens.ts';
import { authorizationScreens } from '#screens/authorization/screens.ts';
import { domainsScreens } from '#screens/domains/screens.ts';
import { insightScreens } from '#screens/insight/screens.ts';
import { logStreamsOfWorkspaceScreens, logStreamsScreens } from '#screens/log-streams/screens.ts';
import { logsScreens } from '#screens/logs/screens.ts';
import { messagesScreens } from '#screens/messages/screens.ts';
import { organizationScreens } from '#screens/organizations/screens.ts';
import { overviewScreens } from '#screens/overview/screens.ts';
import { peopleScreens } from '#screens/people/screens.ts';
import { promotionScreens } from '#screens/promotion/screens.ts';
import { signInScreens } from '#screens/sign-in/screens.ts';
import { smsScreens } from '#screens/sms/screens.ts';
import { statusScreens } from '#screens/status/screens.ts';
import { webhooksScreens } from '#screens/webhooks/screens.ts';
import { projectSettingsScreens, workspaceScreens } from '#screens/workspace/screens.ts';
import { LiveLists } from '#shell/live.ts';
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
      <LiveLists />
      <Outlet />
    </ScopeProvider>
  );
}

const under = <P extends typeof workspace | typeof project>(
  parent: P,
  [path, component]: readonly [string, ReturnType<typeof lazyRouteComponent>],
) => createRoute({ getParentRoute: () => parent, path, component });

const screensOfWorkspace = [...workspaceScreens, ...logStreamsOfWorkspaceScreens].map((screen) =>
  under(workspace, screen),
);

const screensOfProject = [
  ...projectSettingsScreens,
  ...logStreamsScreens,
  ...overviewScreens,
  ...insightScreens,
  ...peopleScreens,
  ...applicationsScreens,
  ...apisScreens,
  ...signInScreens,
  ...messagesScreens,
  ...domainsScreens,
  ...webhooksScreens,
  ...actionsScreens,
  ...logsScreens,
  ...smsScreens,
  ...statusScreens,
  ...promotionScreens,
  ...organizationScreens,
  ...authorizationScreens,
].map((screen) => under(project, screen));

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    signedIn,
    workspace.addChildren([...screensOfWorkspace, project.addChildren(screensOfProject)]),
  ]),
  basepath: '/console',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingComponent: () => <Loading />,
});

import { routes as account } from '#account';
import { routes as apis } from '#apis';
import { routes as applications } from '#applications';
import { routes as audit } from '#audit';
import { routes as billing } from '#billing';
import { routes as consoleApi } from '#console-api';
import { routes as dev } from '#dev';
import { routes as domains } from '#domains';
import { routes as environments } from '#environments';
import { routes as events } from '#events';
import { routes as federation } from '#federation';
import { routes as figures } from '#figures';
import { routes as hosted } from '#hosted';
import { routes as imports } from '#imports';
import { routes as invitations } from '#invitations';
import { routes as lifecycle } from '#lifecycle';
import { routes as members } from '#members';
import { routes as messages } from '#messages';
import { routes as mfa } from '#mfa';
import { routes as oidc } from '#oidc';
import { routes as operators } from '#operators';
import { routes as people } from '#people';
import { routes as permissions } from '#permissions';
import { routes as self } from '#self';
import { routes as signIn } from '#sign-in';
import { routes as status } from '#status';
import { routes as webhooks } from '#webhooks';
import { atConsole } from './at-console.ts';
import { problemPageRoutes } from './problems.page.ts';

/** The admin routes, for back ends on the API host and for operators at the console. */
const admin = [
  ...members.admin,
  ...permissions.admin,
  ...imports.admin,
  ...invitations.admin,
  ...self.admin,
  ...applications.admin,
  ...apis.admin,
  ...oidc.admin,
  ...federation.admin,
  ...environments.admin,
  ...domains.admin,
  ...messages.admin,
  ...webhooks.admin,
  ...events.admin,
  ...audit.admin,
  ...billing.admin,
  ...status.admin,
];

/** The routes of each host. */
export const served = {
  auth: [
    ...signIn.auth,
    ...federation.auth,
    ...mfa.auth,
    ...self.auth,
    ...hosted.page,
    ...account.page,
    ...oidc.auth,
    ...applications.auth,
    ...status.public,
    ...problemPageRoutes,
  ],
  api: [...members.me, ...people.me, ...self.me, ...oidc.me, ...admin, ...status.public, ...problemPageRoutes],
  /** On the API host of production, because carriers and the payment provider know only one environment. */
  callbacks: [...messages.public, ...billing.public],
  console: [
    ...operators.console,
    ...lifecycle.console,
    ...members.console,
    ...figures.console,
    ...consoleApi.console,
    ...atConsole(admin),
    ...operators.page,
    ...consoleApi.page,
  ],
  /** On the console host, in development mode. */
  consoleDevelopment: figures.development,
  start: dev.start,
  development: dev.page,
  status: [...status.everyEnvironment, ...problemPageRoutes],
};

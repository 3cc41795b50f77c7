import { accountRoutes } from '#account';
import { registrationRoutes } from '#applications';
import {
  invitationAcceptanceRoutes,
  methodRoutes,
  mfaEnrolmentRoutes,
  mfaRoutes,
  passkeyLoginRoutes,
  passwordLoginRoutes,
  passwordlessFinishRoutes,
  passwordlessRoutes,
  passwordResetRoutes,
  reauthenticationRoutes,
  registerRoutes,
  sessionRoutes,
  socialRoutes,
  switchContextRoutes,
  verificationRoutes,
} from '#auth';
import { assetRoutes, mailedLinkRoutes, signInRoutes } from '#hosted';
import { oidcRoutes } from '#oidc';
import type { Environment } from '#platform/ctx.ts';
import { type App, createHost } from '#platform/http.ts';
import type { System } from '#platform/system.ts';
import { countSignIns, statusHistoryRoutes, statusRoutes, statusSubscribeRoutes } from '#status';
import { boundAddresses } from '#tenancy';
import { addCors } from './cors.ts';
import { addAuthentication } from './principal.ts';
import { problemPageRoutes } from './problems.page.ts';

/** Customer authentication, OIDC and session operations of one environment. */
export async function createAuthHost(system: System, environment: Environment): Promise<App> {
  const app = await createHost(system, { kind: 'auth', environment }, boundAddresses(system, 'auth', environment));
  addCors(app);
  addAuthentication(app, environment);
  countSignIns(app, environment);
  methodRoutes(app);
  registerRoutes(app);
  verificationRoutes(app);
  passwordLoginRoutes(app);
  passwordResetRoutes(app);
  passwordlessRoutes(app);
  passwordlessFinishRoutes(app);
  passkeyLoginRoutes(app);
  socialRoutes(app);
  mfaRoutes(app);
  mfaEnrolmentRoutes(app);
  reauthenticationRoutes(app);
  invitationAcceptanceRoutes(app);
  sessionRoutes(app);
  switchContextRoutes(app);
  mailedLinkRoutes(app);
  signInRoutes(app);
  assetRoutes(app);
  accountRoutes(app);
  await oidcRoutes(app);
  registrationRoutes(app);
  statusRoutes(app);
  statusSubscribeRoutes(app);
  statusHistoryRoutes(app);
  problemPageRoutes(app);
  return app;
}

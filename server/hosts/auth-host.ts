import { accountRoutes } from '#account';
import { registrationRoutes } from '#applications';
import { boundAddresses } from '#domains';
import { socialRoutes } from '#federation';
import { assetRoutes, mailedLinkRoutes, signInRoutes } from '#hosted';
import { mfaEnrolmentRoutes, mfaRoutes } from '#mfa';
import { oidcRoutes } from '#oidc';
import type { Environment } from '#platform/ctx.ts';
import { type App, createHost } from '#platform/http.ts';
import type { System } from '#platform/system.ts';
import { addAuthentication, addCors } from '#requests';
import { reauthenticationRoutes } from '#self';
import {
  invitationAcceptanceRoutes,
  methodRoutes,
  passkeyLoginRoutes,
  passwordLoginRoutes,
  passwordlessFinishRoutes,
  passwordlessRoutes,
  passwordResetRoutes,
  registerRoutes,
  sessionRoutes,
  switchContextRoutes,
  verificationRoutes,
} from '#sign-in';
import { countSignIns, statusHistoryRoutes, statusRoutes, statusSubscribeRoutes } from '#status';
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

import type { Part } from '#platform/part.ts';
import { events } from './events.ts';
import { invitationAcceptanceRoutes } from './invitations.auth.ts';
import { methodRoutes } from './methods.auth.ts';
import { passkeyLoginRoutes } from './passkey-login.auth.ts';
import { passwordLoginRoutes } from './password-login.auth.ts';
import { passwordResetRoutes } from './password-reset.auth.ts';
import { passwordlessRoutes } from './passwordless.auth.ts';
import { registerRoutes } from './register.auth.ts';
import { sessionRoutes } from './sessions.auth.ts';
import { verificationRoutes } from './verification.auth.ts';

export const part = {
  events,
  routes: {
    auth: [
      ...invitationAcceptanceRoutes,
      ...methodRoutes,
      ...passkeyLoginRoutes,
      ...passwordLoginRoutes,
      ...passwordResetRoutes,
      ...passwordlessRoutes,
      ...registerRoutes,
      ...sessionRoutes,
      ...verificationRoutes,
    ],
  },
} satisfies Part;

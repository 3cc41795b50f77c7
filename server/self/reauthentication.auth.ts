import { Type } from 'typebox';
import { post, type Routes } from '#platform/route.ts';
import { CookieSession, sendSession } from '#requests';
import { SessionResponse } from '#sessions';
import { Reauthentication, reauthenticate } from './reauthentication.ts';

export const reauthenticationRoutes: Routes = [
  post('/v1/auth/reauthenticate', {
    permission: 'customer',
    summary: 'Authenticate again',
    description:
      'Accepts any factor of the account: `password`; `code` of an app, or a recovery code; `flowId` and `response` of a passkey (options from `POST /v1/auth/login/passkey/options`); or `emailCode`. Returns a session with a fresh `authTime`; the previous tokens end.',
    body: Reauthentication,
    responses: { 200: Type.Union([SessionResponse, CookieSession]) },
    problems: [
      'INVALID_CREDENTIALS',
      'INVALID_CODE',
      'ACCOUNT_THROTTLED',
      'SESSION_REVOKED',
      'MEMBERSHIP_REQUIRED',
      'MEMBER_BLOCKED',
    ],
    handler: async (request, reply) => {
      const { cookies, ...factors } = request.body;
      const response = await reauthenticate(request.ctx, factors);
      return sendSession(request, reply, response, { scope: request.ctx.scope, cookies });
    },
  }),
];

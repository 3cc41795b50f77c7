import { Type } from 'typebox';
import { inEvenTime } from '#attempts';
import { browserOf } from '#exchange';
import { askBreachedAhead, Password } from '#passwords';
import { post, type Routes } from '#platform/route.ts';
import { AddressChallengeId, AddressChallengeStarted, proofFields, proofOf, resendAddressChallenge } from '#proofs';
import { anonymousCtx, CookieSession, proofCtx, scopeFields, sendSession } from '#requests';
import { SignInResponse, signInFields } from '#ways';
import { verifyAddress } from './verification.ts';

/** Email addresses and phone numbers are verified by the same routes. */
export const verificationRoutes: Routes = [
  ...(['email', 'phone'] as const).flatMap((channel) => [
    post(`/v1/auth/${channel}/verify`, {
      permission: 'public',
      counted: 'proof',
      ahead: askBreachedAhead,
      summary: channel === 'email' ? 'Verify an email address' : 'Verify a phone number',
      description:
        'Accepts `flowId` and `code`, or the `token` of the mailed link. A link that is opened in another browser proves the address only: the password chosen in the first browser is discarded, and `password` sets a new one.',
      body: Type.Object(
        { ...proofFields, password: Type.Optional(Password), ...signInFields },
        { additionalProperties: false },
      ),
      responses: { 200: Type.Union([...SignInResponse.anyOf, CookieSession]) },
      problems: [
        'CONTEXT_REQUIRED',
        'INVALID_CODE',
        'INVALID_TOKEN',
        'ALREADY_EXISTS',
        'WEAK_PASSWORD',
        'METHOD_DISABLED',
        'REGISTRATION_CLOSED',
        'MEMBERSHIP_REQUIRED',
        'MEMBER_BLOCKED',
        'REFUSED_BY_ACTION',
      ],
      handler: async (request, reply) => {
        const ctx = await proofCtx(request, request.body);
        const response = await verifyAddress(ctx, proofOf(request.body, browserOf(request)), request.body);
        return sendSession(request, reply, response, { scope: ctx.scope, cookies: request.body.cookies });
      },
    }),
    post(`/v1/auth/${channel}/resend`, {
      permission: 'public',
      counted: 'proof',
      summary: channel === 'email' ? 'Mail the code again' : 'Send the code to the phone again',
      description:
        'Resends the message of an open flow. The response is the same for every flow; the previous code and link stop working.',
      body: Type.Object({ flowId: AddressChallengeId, ...scopeFields }, { additionalProperties: false }),
      responses: { 202: AddressChallengeStarted },
      problems: ['CONTEXT_REQUIRED', 'RATE_LIMIT_EXCEEDED'],
      handler: async (request) => {
        const ctx = await anonymousCtx(request, request.body);
        return inEvenTime(() => resendAddressChallenge(ctx, request.body.flowId));
      },
    }),
  ]),
];

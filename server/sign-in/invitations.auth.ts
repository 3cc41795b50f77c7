import { type Static, Type } from 'typebox';
import { findIdentifier } from '#identifiers';
import { acceptInvitation, findInvitation, projectOfInvitation, revokeUnbacked } from '#invitations';
import { askBreachedAhead, Password } from '#passwords';
import { usersById } from '#people';
import { type Ctx, customerOf, transaction } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import { post, type Routes } from '#platform/route.ts';
import { at } from '#platform/scoped.ts';
import { CookieSession, realmOfSecret, sendSession } from '#requests';
import { type SessionResponse, sessionResponse } from '#sessions';
import { Passage, SignInResponse, signInFields } from '#ways';
import { InvitationToken, RegistrationProfile, registerInvited } from './register.ts';
import { enterWithSession } from './sessions.ts';
import { addressProven } from './verification.ts';

const Acceptance = Type.Object(
  {
    token: InvitationToken,
    password: Type.Optional(Password),
    profile: Type.Optional(RegistrationProfile),
    ...signInFields,
  },
  { additionalProperties: false },
);

export const invitationAcceptanceRoutes: Routes = [
  post('/v1/auth/invitations/accept', {
    permission: 'optional',
    counted: 'password',
    ahead: askBreachedAhead,
    summary: 'Accept an invitation',
    description:
      'Send registration fields for a new person, or the bearer token of a person who is signed in and owns the invited address. Returns a session in the project.',
    body: Acceptance,
    responses: { 200: Type.Union([...SignInResponse.anyOf, CookieSession]) },
    problems: [
      'ALREADY_EXISTS',
      'INVALID_TOKEN',
      'WEAK_PASSWORD',
      'AUTHENTICATION_REQUIRED',
      'CONFLICT',
      'MEMBERSHIP_REQUIRED',
      'MEMBER_BLOCKED',
      'REFUSED_BY_ACTION',
      'CONTEXT_NOT_ALLOWED',
      'REAUTHENTICATION_REQUIRED',
    ],
    handler: async (request, reply) => {
      const { token, cookies } = request.body;
      const ctx = await realmOfSecret(request, token);
      const inProject = at(ctx, { projectId: await projectOfInvitation(ctx, token) });
      const response = request.ctx
        ? await acceptAsMember(request.ctx, inProject, token)
        : await acceptAsNewcomer(inProject, request.body);
      return sendSession(request, reply, response, { scope: inProject.scope, cookies });
    },
  }),
];

/**
 * Accepts and enters in one transaction, so that a user who may not enter does not spend the invitation.
 * @throws Problem CONFLICT when the invitation is for another person's address, CONTEXT_NOT_ALLOWED, MEMBER_BLOCKED,
 * REAUTHENTICATION_REQUIRED
 */
async function acceptAsMember(customer: Ctx, invited: Ctx, token: string): Promise<SessionResponse> {
  const { userId, sessionId } = customerOf(customer);
  const { workspaceId, environment } = invited.scope;
  if (customer.scope.workspaceId !== workspaceId || customer.scope.environment !== environment)
    throw problem('CONTEXT_NOT_ALLOWED', 'The invitation and the session belong to different workspaces.');
  const { email } = await findInvitation(invited, token);
  const user = (await usersById(customer, [userId])).get(userId);
  if (user?.email !== email)
    throw problem('CONFLICT', 'The invitation is for a different address. Sign in with the invited address.');
  await revokeUnbacked(invited, token);
  const there: Ctx = at(customer, invited.scope);
  const way = new Passage(there, 'accepted_invitation');
  way.passed('credential', user);
  const issued = await transaction(there, async (tx) => {
    await addressProven(tx, { userId, channel: 'email', address: email }, 'holder');
    await acceptInvitation(tx, token, userId);
    return enterWithSession(tx, way, {
      userId,
      sessionId,
      organizationId: null,
      fromProjectId: customer.scope.projectId,
    });
  });
  return sessionResponse(there, issued);
}

/** @throws Problem AUTHENTICATION_REQUIRED if the address has an account: then its owner must sign in first */
async function acceptAsNewcomer(ctx: Ctx, { token, ...fields }: Static<typeof Acceptance>) {
  const { email } = await findInvitation(ctx, token);
  if (await findIdentifier(ctx, { kind: 'email', value: email }))
    throw problem(
      'AUTHENTICATION_REQUIRED',
      'The invited address has an account. Sign in, then accept with the bearer token.',
    );
  return registerInvited(ctx, { ...fields, invitationToken: token });
}

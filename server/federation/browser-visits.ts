import { type Static, Type } from 'typebox';
import { CodeChallenge, keepMark, newMark, requireChallenge, requireRedirectUri, withQuery } from '#exchange';
import type { Ctx } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import { scopeFields } from '#requests';
import type { Passage } from '#ways';
import { type Away, leaveFor, type Party, type UpstreamStart } from './upstream-flows.ts';

/** What an application sends to start a sign-in elsewhere. */
export const StartQuery = Type.Object({
  redirectUri: Type.Optional(
    Type.String({ maxLength: 2_000, description: 'A redirect URI that the application registered.' }),
  ),
  state: Type.Optional(Type.String({ maxLength: 500, description: 'Returned unchanged at `redirectUri`.' })),
  codeChallenge: Type.Optional(CodeChallenge),
  loginHint: Type.Optional(Type.String({ maxLength: 254 })),
  ...scopeFields,
});

/** The parameters a provider may return; unknown ones are ignored. */
export const Returned = Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 10_000 }));

type Visit = { ctx: Ctx; party: Party; start: Omit<UpstreamStart, 'browser'> };

/**
 * Marks the browser, so that no other one can finish the flow.
 * @returns the address of the party
 */
export function sendAway(request: Request, reply: Reply, { ctx, party, start }: Visit): Promise<string> {
  const browser = newMark(request);
  keepMark(request, reply, browser);
  return leaveFor(ctx, party, { ...start, browser });
}

/**
 * The end of a sign-in that an application starts.
 * @throws Problem VALIDATION_FAILED
 */
export async function startedBy(ctx: Ctx, way: Passage, query: Static<typeof StartQuery>): Promise<Visit['start']> {
  const { redirectUri, clientId, state, codeChallenge, loginHint } = query;
  if (redirectUri === undefined)
    throw problem('VALIDATION_FAILED', {
      extensions: { errors: [{ pointer: '/querystring/redirectUri', message: 'is required' }] },
    });
  const application = way.passed('application', await requireRedirectUri(ctx, clientId, redirectUri));
  way.passed('pkce', requireChallenge(application, codeChallenge));
  return {
    redirectUri,
    appState: state ?? null,
    binding: { clientId: application.clientId, codeChallenge: codeChallenge ?? null },
    linkTo: null,
    loginHint: loginHint ?? null,
  };
}

type Back = { away: Away; name: string; isOffered: boolean; parameters: Record<string, string> };

/**
 * Where a browser that returned goes next: to the application, with a code or an error.
 * @param finish reads what the party says, and issues the code
 */
export async function returnFrom(
  request: Request,
  { away, name, isOffered, parameters }: Back,
  finish: () => Promise<string>,
): Promise<string> {
  const { redirectUri, appState } = away;
  const to = (response: Record<string, string | null>) => withQuery(redirectUri, { ...response, state: appState });
  if (!isOffered)
    return to({
      error: 'access_denied',
      error_description: `${name} is no longer offered here. Choose another way to sign in.`,
    });
  if (parameters['error'] !== undefined)
    return to({
      error: parameters['error'].slice(0, 100),
      error_description: parameters['error_description']?.slice(0, 500) ?? null,
    });
  try {
    return to({ code: await finish() });
  } catch (error) {
    request.log.warn({ err: error, provider: name }, 'sign-in at a provider failed');
    return to({ error: 'server_error', error_description: `${name} did not confirm the sign-in. Try again.` });
  }
}

import { type Application, findApplication, isFirstParty } from '#applications';
import type { Ctx } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';

const LOOPBACK = ['127.0.0.1', '[::1]'];

/**
 * Checks that a redirect URI is registered by one of the project's own applications: codes sent to it are exchanged for
 * a session, which third-party applications never get. Compared as exact strings; only the port of a native
 * application's loopback address may vary (RFC 8252 §7.3; OA-1).
 * @returns the application
 * @throws Problem VALIDATION_FAILED
 */
export async function requireRedirectUri(
  ctx: Ctx,
  clientId: string | undefined,
  redirectUri: string,
): Promise<Application> {
  const { workspaceId, projectId, environment } = ctx.scope;
  const application = clientId && (await findApplication(ctx.system, environment, clientId));
  const ours = application && application.workspaceId === workspaceId && application.projectId === projectId;
  if (!ours || !application.enabled) throw invalid('/clientId', 'is required with a redirect address');
  if (!isFirstParty(application))
    throw invalid('/clientId', 'belongs to a third-party application, which cannot get sessions; use OpenID Connect');
  const registered = application.redirectUris.some(
    (uri) => uri === redirectUri || (application.kind === 'native' && sameLoopback(uri, redirectUri)),
  );
  if (!registered)
    throw invalid(
      '/redirectUri',
      `is not a redirect address of the application: received ${redirectUri.slice(0, 200)}`,
    );
  return application;
}

/**
 * A public client has no secret, so only a code challenge keeps others from using its codes (RFC 9700 §2.1.1).
 * @throws Problem VALIDATION_FAILED
 */
export function requireChallenge({ kind }: Application, codeChallenge: string | undefined): void {
  if (kind === 'web' || codeChallenge !== undefined) return;
  throw invalid(
    '/codeChallenge',
    `is required for an application of the kind "${kind}", which has no secret (PKCE S256)`,
  );
}

function sameLoopback(registered: string, received: string): boolean {
  const [known, given] = [URL.parse(registered), URL.parse(received)];
  if (!known || !given || given.protocol !== 'http:' || !LOOPBACK.includes(given.hostname)) return false;
  given.port = known.port;
  return given.href === known.href;
}

function invalid(pointer: string, message: string) {
  return problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: `/body${pointer}`, message }] } });
}

/** A redirect address with parameters added to its query. */
export function withQuery(redirectUri: string, parameters: Record<string, string | null | undefined>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) if (value) url.searchParams.set(name, value);
  return url.href;
}

import { Type } from 'typebox';
import type { Reply, Request } from '#platform/http.ts';
import { ctxFor } from '#requests';
import { showFault } from './pages.ts';
import { applicationByAssertion, type Visit } from './sign-in.ts';

/** Where a browser is at an application by SAML. */
export const PATH = '/saml/:clientId';
export const ClientOnly = Type.Object({ clientId: Type.String({ maxLength: 100 }) });
/** The fields of a form with a message. */
export const Posted = Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 350_000 }));

type AtApplication = Request & { params: { clientId: string } };

/** Runs the work for a browser at an application by SAML. */
export async function enter(
  request: AtApplication,
  reply: Reply,
  work: (visit: Visit) => Promise<Reply> | Reply,
): Promise<Reply> {
  const application = await applicationByAssertion(request, request.params.clientId);
  if (!application) {
    const detail = 'There is no application by SAML at this address.';
    return showFault(request, reply, { application: null, status: 404, detail });
  }
  return work({ request, reply, application, ctx: ctxFor(request, scopeOf(application)) });
}

export function scopeOf({ workspaceId, projectId, environment }: Visit['application']) {
  return { workspaceId, projectId, environment };
}

/** The query as it came: the signature of a message is over its very characters. */
export function queryOf({ url }: Request): string {
  return url.replace(/^[^?]*\??/s, '');
}

export const page = (description: string) => ({ description, content: { 'text/html': { schema: Type.String() } } });

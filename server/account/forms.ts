import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { requireStillAdmitted } from '#admission';
import type { Reply, Request } from '#platform/http.ts';
import { forms } from '#platform/http-body.ts';
import { requireOwnPage } from '#platform/http-own-page.ts';
import { type Id, IdSchema } from '#platform/ids.ts';
import { Problem, problem } from '#platform/problem.ts';
import { get, post, type Route } from '#platform/route.ts';
import { requireFreshProof } from '#sessions';
import { BASE, explain, scopeAsked, toSignIn, type Visit, visitOf } from './visit.ts';

const part = Type.Optional(Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9_.-]+$' }));
const Named = Type.Object({ id: part });
/** What the address names. */
export type Named = Static<typeof Named>;

type Look = (visit: Visit, named: Named) => Promise<Reply> | Reply;
/** What a person proves first who has not done so within the last ten minutes (SE-4). */
type Guard = Pick<Route, 'freshProof'>;

/** A page of the account: for who is signed in; others sign in and come back to it. */
export function page(path: string, look: Look, guard: Guard = {}): Route {
  return get(BASE + path, {
    permission: 'public',
    ...guard,
    params: Named,
    handler: (request, reply) => visiting(request, reply, pathOf(request), (visit) => look(visit, request.params)),
  });
}

type Action<Fields extends TSchema> = Guard & {
  fields: Fields;
  act: (visit: Visit, sent: Static<Fields>, named: Named) => Promise<Reply> | Reply;
  /** The page of the form, where it is not at the form's own address. */
  back?: string;
};

/** A form of the account. What does not fit `fields`, and what is refused, leads back to its page, which says so. */
export function action<Fields extends TSchema>(path: string, { fields, act, back, ...guard }: Action<Fields>): Route {
  return post(BASE + path, {
    permission: 'public',
    counted: 'proof',
    ...guard,
    params: Named,
    plugin: forms,
    handler: (request, reply) => {
      requireOwnPage(request);
      const origin = back === undefined ? pathOf(request) : BASE + back;
      return visiting(request, reply, origin, async (visit) => {
        const { body } = request;
        try {
          if (!Value.Check(fields, body)) throw problem('VALIDATION_FAILED');
          return await act(visit, body, request.params);
        } catch (error) {
          return explain(visit, origin.slice(BASE.length), error);
        }
      });
    },
  });
}

/** The address of a request, without its query. */
export function pathOf({ url }: Request): string {
  return url.replace(/\?.*$/s, '');
}

async function visiting(
  request: Request,
  reply: Reply,
  back: string,
  work: (visit: Visit) => Promise<Reply> | Reply,
): Promise<Reply> {
  const visit = await visitOf(request, reply);
  if (!visit) return toSignIn(request, reply, { scope: await scopeAsked(request), back });
  try {
    await requireStillAdmitted(visit.ctx, 'account_page', visit.entry);
    const freshProof = request.route?.freshProof;
    if (freshProof) await requireFreshProof(visit.ctx, freshProof);
    return await work(visit);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'REAUTHENTICATION_REQUIRED') throw error;
    const { email, username, phone } = visit.profile;
    const again = { as: email ?? username ?? phone, secondFactor: error.extensions['acr'] === 'aal2' };
    return toSignIn(request, reply, { scope: visit.ctx.scope, back, again });
  }
}

/** An id of the address. @throws Problem NOT_FOUND for what is none */
export function idOf<Prefix extends string>(prefix: Prefix, text: string | undefined): Id<Prefix> {
  const schema = IdSchema(prefix);
  if (!Value.Check(schema, text)) throw problem('NOT_FOUND');
  return text;
}

import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { browserRoutes } from '#pages';
import type { Reply } from '#platform/http.ts';
import { type Id, IdSchema } from '#platform/ids.ts';
import { Problem, problem } from '#platform/problem.ts';
import type { Route } from '#platform/route.ts';
import type { Task } from './tasks.ts';
import { BASE, closedPage, explain, goTo, type Visit, visitOf } from './visit.ts';
import { hasEnded } from './visits.ts';

const Named = Type.Object({ id: Type.Optional(Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9_.-]+$' })) });
type Named = Static<typeof Named>;

/** Digests of what a form shows. */
export const Seen = Type.String({ maxLength: 50 });

const Keyed = Type.Object({ formKey: Type.String({ maxLength: 100 }) });

const routes = browserRoutes<Visit, typeof Named>({
  path: BASE,
  params: Named,
  explain: (visit, page, error) => {
    if (hasEnded(error)) throw error;
    return explain(visit, page, error);
  },
  enter: async ({ request, reply }, work) => {
    try {
      const visit = await visitOf(request, reply);
      if (request.method === 'POST') requireKey(visit);
      return await work(visit);
    } catch (error) {
      return closedPage(request, reply, error);
    }
  },
});

/**
 * The origin of a form is checked for every page. In a frame of another site, the key shows besides that the form is of
 * this visit.
 * @throws Problem ORIGIN_NOT_ALLOWED
 */
function requireKey({ request: { body }, formKey }: Visit): void {
  if (!Value.Check(Keyed, body) || body.formKey !== formKey)
    throw problem('ORIGIN_NOT_ALLOWED', 'This form can only be sent from its own page.');
}

type Look = (visit: Visit, named: Named) => Promise<Reply> | Reply;

/**
 * A page for one task, or (null) for every link. A missing record leads back to the list.
 * @param list the page of the list
 */
export function page(task: Task | null, path: string, { look, list = '' }: { look: Look; list?: string }): Route {
  return routes.page(path, async (visit, named) => {
    if (task !== null && !visit.tasks.includes(task)) return explain(visit, '', problem('AUTHORIZATION_DENIED'));
    try {
      return await look(visit, named);
    } catch (error) {
      if (list !== path && error instanceof Problem && error.code === 'NOT_FOUND') return explain(visit, list, error);
      throw error;
    }
  });
}

type Action<Fields extends TSchema> = {
  fields: Fields;
  act: (visit: Visit, sent: Static<Fields>, named: Named) => Promise<Reply> | Reply;
  back?: string;
};

/** A form for one task, or (null) for every link. */
export function action<Fields extends TSchema>(
  task: Task | null,
  path: string,
  { act, ...form }: Action<Fields>,
): Route {
  return routes.action(path, {
    ...form,
    act: (visit, sent, named) => {
      if (task !== null && !visit.tasks.includes(task)) return explain(visit, '', problem('AUTHORIZATION_DENIED'));
      return act(visit, sent, named);
    },
  });
}

/**
 * Parses an id in the path.
 * @throws Problem NOT_FOUND if it is invalid
 */
export function idOf<Prefix extends string>(prefix: Prefix, text: string | undefined): Id<Prefix> {
  const schema = IdSchema(prefix);
  if (!Value.Check(schema, text)) throw problem('NOT_FOUND');
  return text;
}

/** Shows a page again after its form was carried out. */
export function done(visit: Visit, page: string, notice: 'saved' | 'sent' | 'checked' = 'saved'): Reply {
  return goTo(visit, page, { notice });
}

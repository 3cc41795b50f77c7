import type { Static, TObject, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { Reply, Request } from '#platform/http.ts';
import { forms } from '#platform/http-body.ts';
import { requireOwnPage } from '#platform/http-own-page.ts';
import { problem } from '#platform/problem.ts';
import { get, post, type Route } from '#platform/route.ts';
import type { BrowserVisit } from './browser-flow.ts';

type Work<Visit> = (visit: Visit) => Promise<Reply> | Reply;

/** @param back the page of the submitted form, if it is not at the form's own address */
type Arrival = { request: Request; reply: Reply; back?: string };

type Surface<Visit, Params extends TObject> = {
  /** The path of the first page; the other pages follow it. */
  path: string;
  params: Params;
  /** Identifies the person and runs the work, or redirects a person who may not see the page. */
  enter: (arrival: Arrival, work: Work<Visit>) => Promise<Reply>;
  /** Redirects to a page that shows the fault. */
  explain: (visit: Visit, page: string, error: unknown) => Reply;
};

/** The checks before the work. */
type Guard = Pick<Route, 'freshProof' | 'counted'>;

type Action<Visit, Named, Fields extends TSchema> = Guard &
  Pick<Arrival, 'back'> & {
    fields: Fields;
    act: (visit: Visit, sent: Static<Fields>, named: Named) => Promise<Reply> | Reply;
  };

/** The routes of a flow's pages: GET shows a page, a form of the same host changes something. */
export function browserRoutes<Visit extends Pick<BrowserVisit<unknown>, 'place'>, Params extends TObject>({
  path: first,
  params,
  enter,
  explain,
}: Surface<Visit, Params>) {
  type Named = Static<Params>;

  function page(path: string, look: (visit: Visit, named: Named) => Promise<Reply> | Reply, guard: Guard = {}): Route {
    return get(first + path, {
      permission: 'public',
      ...guard,
      params,
      handler: (request, reply) => enter({ request, reply }, (visit) => look(visit, request.params)),
    });
  }

  /** A form. Invalid fields and refusals lead back to its page, which shows the fault. */
  function action<Fields extends TSchema>(
    path: string,
    { fields, act, back, ...guard }: Action<Visit, Named, Fields>,
  ): Route {
    return post(first + path, {
      permission: 'public',
      counted: 'proof',
      ...guard,
      params,
      plugin: forms,
      handler: (request, reply) => {
        requireOwnPage(request);
        return enter({ request, reply, ...(back !== undefined && { back }) }, async (visit) => {
          const { body } = request;
          try {
            if (!Value.Check(fields, body)) throw problem('VALIDATION_FAILED');
            return await act(visit, body, request.params);
          } catch (error) {
            return explain(visit, back ?? pathOf(request).slice(visit.place.base.length), error);
          }
        });
      },
    });
  }

  return { page, action };
}

/** The address of a request, without its query. */
export function pathOf({ url }: Pick<Request, 'url'>): string {
  return url.replace(/\?.*$/s, '');
}

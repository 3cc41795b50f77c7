import type { Static, TSchema } from 'typebox';
import type { App, Reply, Request } from './http.ts';
import type { RespondEarly } from './http-early.ts';
import type { SourceCounter } from './http-sources.ts';
import type { ErrorCode } from './problem.ts';

/**
 * Who may call a route: anyone (`public`), anyone with more for a signed-in customer (`optional`), a signed-in
 * customer, a signed-in operator of the console, or a caller with one permission.
 */
export type RoutePermission = 'public' | 'optional' | 'customer' | 'operator' | `${string}:${string}`;

/** The proof that a change requires. */
export type FreshProof = 'second factor' | 'any factor';

/** The limit by source that counts an anonymous request, or why it needs none. */
type Counted = SourceCounter | { uncounted: string };

/** A deprecated route (RFC 9745, RFC 8594). */
type Deprecation = { since: Date; sunset: Date; link?: string };

/** Who may call a route, and what is counted or proven first. */
type Caller = {
  permission: RoutePermission;
  counted?: Counted;
  /**
   * On the console: the operator must have authenticated within ten minutes, because the change affects permissions, or
   * reveals, removes or exposes more than the caller can restore (ASVS 7.5.3). With `dryRun` in the query, a change that is
   * not made needs none.
   */
  stepUp?: boolean | 'unless dryRun';
  /**
   * The customer must have authenticated within ten minutes: with a second factor if they have one, or with any factor.
   * Account pages redirect others to the sign-in; other routes respond REAUTHENTICATION_REQUIRED.
   */
  freshProof?: FreshProof;
};

/** A change declares its guard: a limit if anyone may call it, step-up or not if it is administrative. */
type CallerOfChange = Caller &
  (
    | { permission: 'public' | 'optional'; counted: Counted }
    | { permission: 'customer' }
    | { permission: 'operator' | `${string}:${string}`; stepUp: boolean | 'unless dryRun' }
  );

/** What the edge does for a route. */
type Handling = {
  /** The route accepts access tokens of the OpenID provider too. */
  takesOidcTokens?: boolean;
  /** On the console: the permission is about the workspace, so the request names no project. */
  level?: 'workspace';
  /** On the console: allowed also while the workspace is closed. */
  whenClosed?: true;
  /**
   * On the console: workspace, project and environment are in the query. `query`: always, because a frame can't send
   * headers. `link`: optionally, because a link can't.
   */
  scopeIn?: 'query' | 'link';
  /** The body may be large and is streamed; it may take as long as data keeps coming. */
  streams?: boolean;
  /**
   * On a GET: it returns one record with an `ETag`; PATCH, PUT and DELETE of the same path honour `If-Match`. Changes
   * of the fields in `without` do not change the tag. They are paths from the record, such as `sessions.lastSeenAt`, so
   * that free JSON in a record counts whatever its names are.
   */
  etag?: true | { without: readonly string[] };
  /** On a change: the path of the record that it changes and returns, if that is not its own path. */
  changes?: string;
  /** Calls out before the request becomes a transaction; skipped if the response is stored. */
  ahead?: (request: Request) => Promise<void>;
  /** On a change: why it emits no event. */
  silent?: string;
  deprecated?: Deprecation;
  /** Extends only the routes that name it, for example with a parser for bodies that are not JSON. */
  plugin?: Plugin;
  /** The handler checks `request.validationError` itself. */
  attachValidation?: true;
  /** On a GET or POST: answers the most frequent requests before routing. The route must give the same responses. */
  early?: (app: App) => RespondEarly;
  /** Responds before the body is read, because the OpenID provider reads it itself. */
  onRequest?: Hook;
};

/** Extends the Fastify scope of its routes. */
export type Plugin = (scope: App) => PromiseLike<unknown> | undefined;
export type Hook = (request: Request, reply: Reply, done: (error?: Error) => void) => void;

/** What OpenAPI shows. A route without a summary is not listed. */
type Description = {
  summary?: string;
  description?: string;
  consumes?: readonly string[];
  produces?: readonly string[];
  /** Problem codes of the route, in addition to those of every route. */
  problems?: readonly ErrorCode[];
};

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
type Responses = Readonly<Record<number, TSchema>>;

/** A route as data: hosts mount it, tests and OpenAPI read it. */
export type Route = Caller &
  Handling &
  Description & {
    method: Method;
    path: string;
    params?: TSchema;
    query?: TSchema;
    body?: TSchema;
    headers?: TSchema;
    /** A handler that sends nothing itself responds with the one success among them. */
    responses?: Responses;
    /**
     * Method syntax (bivariant), because a list holds routes of all schemas; `definition` checked the handler against
     * its own.
     */
    handler(request: Request, reply: Reply): unknown;
  };

/** Routes that belong together. */
export type Routes = readonly Route[];

type Received<P extends TSchema, Q extends TSchema, B extends TSchema, H extends TSchema> = Request & {
  params: Static<P>;
  query: Static<Q>;
  body: Static<B>;
  headers: Static<H>;
};

/** A route without method and path. The types of the handler's request come from the schemas beside it. */
type Definition<P extends TSchema, Q extends TSchema, B extends TSchema, H extends TSchema> = Handling &
  Description & {
    params?: P;
    query?: Q;
    body?: B;
    headers?: H;
    responses?: Responses;
    handler: (request: Received<P, Q, B, H>, reply: Reply) => unknown;
  };

const read =
  (method: Method) =>
  <P extends TSchema, Q extends TSchema, H extends TSchema>(
    path: string,
    route: Definition<P, Q, TSchema, H> & Caller,
  ): Route => ({ method, path, ...route });

const change =
  (method: Method) =>
  <P extends TSchema, Q extends TSchema, B extends TSchema, H extends TSchema>(
    path: string,
    route: Definition<P, Q, B, H> & CallerOfChange,
  ): Route => ({ method, path, ...route });

export const get = read('GET');
export const options = read('OPTIONS');
export const post = change('POST');
export const put = change('PUT');
export const patch = change('PATCH');
export const del = change('DELETE');

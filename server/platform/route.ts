import type { Static, TSchema } from 'typebox';
import type { App, Reply, Request } from './http.ts';
import type { ReadyAnswer } from './http-ready.ts';
import type { SourceCounter } from './http-sources.ts';
import type { ErrorCode } from './problem.ts';

/**
 * Who may call a route: anybody, anybody with a better answer for a signed-in customer (`optional`), a signed-in customer, a
 * signed-in operator of the console, or a holder of one permission.
 */
export type RoutePermission = 'public' | 'optional' | 'customer' | 'operator' | `${string}:${string}`;

/** Which proof of the person a change takes. */
export type FreshProof = 'second factor' | 'any factor';

/** What a request of anybody is counted as by its source, or why it needs no count. */
type Counted = SourceCounter | { uncounted: string };

/** A route on its way out (RFC 9745, RFC 8594). */
type Deprecation = { since: Date; sunset: Date; link?: string };

/** Who may call a route, and what is counted or proven first. */
type Caller = {
  permission: RoutePermission;
  counted?: Counted;
  /**
   * On the console: the operator must have signed in within the last ten minutes, as the change decides who may do what, or hands
   * out, takes away or opens more than its caller can put back (ASVS 7.5.3).
   */
  stepUp?: boolean;
  /**
   * Only for a customer who proved within ten minutes who they are: with a second factor where they have one, or with any
   * factor. Account pages send others to the sign-in; other routes answer REAUTHENTICATION_REQUIRED.
   */
  freshProof?: FreshProof;
};

/** A change declares what guards it: a count where anybody may call it, step-up or none where an administrator does. */
type CallerOfChange = Caller &
  (
    | { permission: 'public' | 'optional'; counted: Counted }
    | { permission: 'customer' }
    | { permission: 'operator' | `${string}:${string}`; stepUp: boolean }
  );

/** What the edge does for a route. */
type Handling = {
  /** Access tokens of the OpenID provider are good here too. */
  takesOidcTokens?: boolean;
  /** On the console: the permission is about the workspace, so no project has to be named. */
  level?: 'workspace';
  /** On the console: also while the workspace is to be deleted. */
  whenClosed?: true;
  /** On the console: workspace, project and environment stand in the query, as a frame can send no headers; or may, as a link can't. */
  scopeIn?: 'query' | 'link';
  /** The body may be large and is read while it comes; it may take as long as it goes on coming. */
  streams?: boolean;
  /**
   * Of a GET: answers one record, which then has an `ETag`; PATCH, PUT and DELETE of the same path honour `If-Match`. Fields
   * that change by themselves (`without`) make no other state of the record.
   */
  etag?: true | { without: readonly string[] };
  /** Of a change: the path of the record it changes and answers, where that is not its own path. */
  changes?: string;
  /** Asks other services before the request becomes a transaction, and not again when its response is known already. */
  ahead?: (request: Request) => Promise<void>;
  /** Of a change: why it leaves no event. */
  silent?: string;
  deprecated?: Deprecation;
  /** What only routes that name it have, such as a parser for bodies that are no JSON. */
  plugin?: Plugin;
  /** The handler looks at `request.validationError` itself. */
  attachValidation?: true;
  /** Finds a response that is known before anybody asks, which is sent ahead of routing. */
  ready?: (app: App) => () => ReadyAnswer | undefined;
  /** Responds before the body is read: the OpenID provider reads it itself. */
  onRequest?: Hook;
};

/** Extends the scope of its routes. */
export type Plugin = (scope: App) => PromiseLike<unknown> | undefined;
export type Hook = (request: Request, reply: Reply, done: (error?: Error) => void) => void;

/** What OpenAPI shows. A route without a summary is left out of it. */
type Description = {
  summary?: string;
  description?: string;
  consumes?: readonly string[];
  produces?: readonly string[];
  /** Codes it may answer besides those that every route may. */
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
    responses?: Responses;
    /** A method, as routes of all schemas stand in one list: `definition` has checked it against its own. */
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

/** A route without method and path. The handler's request has the types of the schemas beside it. */
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

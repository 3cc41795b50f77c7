/** What a call of an operation takes and gives, derived from the types that openapi-typescript makes of a description. */

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

type PathOf<Paths, M extends Method> = {
  [P in keyof Paths]: Paths[P] extends { [K in M]: { responses: unknown } } ? P : never;
}[keyof Paths] &
  string;

type Operation<Paths, P extends keyof Paths, M extends Method> = Paths[P] extends { [K in M]: infer O } ? O : never;

/** The lists, which are read page by page. */
type ListOf<Paths> = {
  [P in PathOf<Paths, 'get'>]: Data<Operation<Paths, P, 'get'>> extends { items: unknown[]; nextCursor: string | null }
    ? P
    : never;
}[PathOf<Paths, 'get'>];

type ItemOf<Paths, P extends keyof Paths> = Data<Operation<Paths, P, 'get'>> extends { items: (infer T)[] } ? T : never;

/** The options of every call. */
export type CommonOptions = {
  /** Ends the call, its pauses and its repetitions. */
  signal?: AbortSignal;
  /** 1 to 200 characters of printable ASCII; stands in the log, in events and in errors. The default is the trace id. */
  correlationId?: string;
};

type PathOptions<O> = O extends { parameters: { path: infer T } } ? { path: T } : unknown;

type QueryOptions<O> = O extends { parameters: { query: infer T } }
  ? { query: T }
  : O extends { parameters: { query?: infer T } }
    ? [NonNullable<T>] extends [never]
      ? unknown
      : { query?: NonNullable<T> }
    : unknown;

type JsonBody<T> = { content: { 'application/json': T } };
type FormBody<T> = { content: { 'application/x-www-form-urlencoded': T } };

type BodyOptions<O> = O extends { requestBody: JsonBody<infer T> }
  ? { body: T }
  : O extends { requestBody: FormBody<infer T> }
    ? { form: T }
    : O extends { requestBody?: infer B }
      ? NonNullable<B> extends JsonBody<infer T>
        ? { body?: T }
        : NonNullable<B> extends FormBody<infer T>
          ? { form?: T }
          : unknown
      : unknown;

type HasHeader<O, Name extends string> = O extends { parameters: { header?: { [N in Name]?: infer T } } }
  ? unknown extends T
    ? false
    : true
  : false;

type HeaderOptions<O> = (HasHeader<O, 'idempotency-key'> extends true
  ? {
      /** The default is a new random key. Give one to repeat the request after a restart of the program. */
      idempotencyKey?: string;
    }
  : unknown) &
  (HasHeader<O, 'if-match'> extends true
    ? {
        /** The `etag` of the state that the change is meant for. */
        ifMatch?: string | null;
      }
    : unknown);

type OptionsOf<O> = CommonOptions & PathOptions<O> & QueryOptions<O> & BodyOptions<O> & HeaderOptions<O>;

/** Options may be omitted where none is required. */
type Optional<T> = Record<never, never> extends T ? [options?: T] : [options: T];

type CallOptions<Paths, P extends keyof Paths, M extends Method> = Optional<OptionsOf<Operation<Paths, P, M>>>;

type Success = 200 | 201 | 202 | 204 | 303;

type Content<R> = R extends { content: infer C }
  ? [C] extends [undefined]
    ? undefined
    : { [K in keyof C]: K extends 'application/json' | `${string}+json` ? C[K] : string }[keyof C]
  : undefined;

type Data<O> = O extends { responses: infer R }
  ? { [S in keyof R & Success]: Content<R[S]> }[keyof R & Success]
  : never;

export type Result<T> = {
  /** The JSON of the response, or its text; undefined if it has no content. */
  data: T;
  status: number;
  headers: Headers;
  /** The tag of the state, for `ifMatch`. */
  etag: string | null;
};

/** The record is still the one of `ifNoneMatch`. */
export type Unchanged = Result<undefined> & { status: 304 };

type Call<Paths, M extends Method> = <P extends PathOf<Paths, M>>(
  path: P,
  ...options: CallOptions<Paths, P, M>
) => Promise<Result<Data<Operation<Paths, P, M>>>>;

/** The reads of a record whose state has a tag. */
type RecordOf<Paths> = {
  [P in PathOf<Paths, 'get'>]: HasHeader<Operation<Paths, P, 'get'>, 'if-none-match'> extends true ? P : never;
}[PathOf<Paths, 'get'>];

type ConditionalRead<Paths> = <P extends RecordOf<Paths>>(
  path: P,
  options: OptionsOf<Operation<Paths, P, 'get'>> & {
    /** The `etag` of the state you have. Without one the record is read. */
    ifNoneMatch: string | null;
  },
) => Promise<Result<Data<Operation<Paths, P, 'get'>>> | Unchanged>;

/** A client of one host: each method takes the paths that have it. */
export type Client<Paths> = { [M in Method]: Call<Paths, M> } & {
  get: ConditionalRead<Paths>;
  /** The records of all pages, which are requested as they are needed. */
  list: <P extends ListOf<Paths>>(
    path: P,
    ...options: CallOptions<Paths, P, 'get'>
  ) => AsyncGenerator<ItemOf<Paths, P>>;
};

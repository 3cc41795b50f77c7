import type { Plain, Values } from './plain.ts';

/** A response of the admin API that is not a problem. */
type Reply = { body: Plain; etag: string | null };

/**
 * Calls the admin API of one project environment.
 * @throws Refused
 */
export type Call = (method: Method, path: string, sent?: { body?: Values; etag?: string | null }) => Promise<Reply>;
type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** A problem document of the admin API. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  readonly permission: string | null;

  constructor(message: string, { status, permission }: { status: number; permission: string | null }) {
    super(message);
    this.status = status;
    this.permission = permission;
  }
}

/** The problem of a response of the admin API, in words that say what was called. */
export function refusalOf(operation: string, status: number, problem: Values): Refused {
  const { errorCode, detail, title, requiredPermission, errors } = problem;
  const faults = (Array.isArray(errors) ? errors : []).map(
    (one) => `${String(Object(one).pointer)} ${String(Object(one).message)}`,
  );
  const what = faults.length > 0 ? faults.join('; ') : String(detail ?? title ?? 'refused');
  const permission = typeof requiredPermission === 'string' ? requiredPermission : null;
  const missing = permission === null ? '' : ` The permission ${permission} is missing.`;
  const message =
    status === 412
      ? 'it was changed since the plan was made'
      : `${operation}: ${status} ${String(errorCode ?? '')} ${what}${missing}`;
  return new Refused(message, { status, permission });
}

/** A field with the id of another record, or a list of ids, written in files as the natural keys of these records. */
export type Reference = {
  /** Where it stands in the record of the API, such as `saml.organizationId`. */
  at: string;
  /** The name in files, at the same place. */
  as: string;
  /** The collection of the records that are referred to, and the field that identifies them in every environment. */
  of: string;
  by: string;
};

/** One operation that changes some fields of a record. */
type Change = { method: 'PATCH' | 'PUT'; path?: string; fields: readonly string[] };

/** One kind of records: how it is read, what identifies a record in every environment, and which fields are written. */
export type Kind = {
  /** The name of its file, without the extension. */
  name: string;
  title: string;
  /** The collection, or the record itself if there is only one. */
  path: string;
  /** The fields that identify a record; none if there is only one. */
  key: readonly string[];
  /** The properties of the API's record that stand in its path. */
  id: readonly string[];
  /** The fields in files, beside the key, in their order. */
  fields: readonly string[];
  /** The fields, beside the key, that only a new record takes. */
  fixed?: readonly string[];
  /** The operations that change a record; one PATCH of all fields that are not fixed by default. */
  changes?: readonly Change[];
  /** The fields that a new record does not take, and that are changed afterwards. */
  later?: readonly string[];
  /** A PUT of its address makes a record, and a DELETE restores what is built in. */
  replaced?: true;
  /** Its `purposes` are the bindings of a domain to this project environment. */
  bound?: true;
  /** Write-only fields, and whether a record has one: these are references in files. */
  secrets?: readonly { field: string; set: string }[];
  /** Maps in which the API shows credentials as `[redacted]`. */
  redacts?: readonly string[];
  /** The fields that a record takes, if not all. */
  takes?: (record: Values) => readonly string[] | null;
  /** Lists whose order has a meaning; others are compared as sets. */
  ordered?: readonly string[];
  /** Objects of which the API changes only what is given. */
  merged?: readonly string[];
  references?: readonly Reference[];
  /** Fields of requests, and of objects in responses, that files do not carry, with the reason. */
  left?: Readonly<Record<string, string>>;
  /** Whether a record belongs to Latchkey or to someone else, so that files leave it alone. */
  foreign?: (record: Values) => boolean;
  /** The names of the keys of the same kind that a record needs first. */
  needs?: (fields: Values) => string[];
  /** Whether the API itself refuses a second record with the same key. */
  unique: boolean;
  /** Fields of the response to a new record that are shown only then, and whether a record may have one. */
  issued?: { fields: readonly string[]; by: (fields: Values) => boolean };
  /** The record of the API with the values that its requests take, where these differ. */
  asWritten?: (record: Values) => Values;
  /** It belongs to the status page, and these are the records of a new one. A project without a page gets 404. */
  onNewPage?: readonly Values[];
  /** It makes the status page. */
  makesPage?: true;
  /** What files do not hold, as a comment for their reader. */
  comment?: string;
};

/** The project environment that files are compared with. */
export type Target = {
  call: Call;
  workspaceId: string;
  projectId: string;
  environment: string;
  /** The management client that calls, which cannot manage itself. */
  clientId: string | null;
};

import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { repeatedAt } from '#platform/db.ts';
import type { ProjectId, SessionId } from '#platform/ids.ts';
import { preparedWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import type { Place } from './routed-ids.ts';

/** Where records are. Those of one place are on one server. */
type RecordPlace = { workspace_id: Place; issuer: string };
export type RecordKey = RecordPlace & { model: string; id: string };

/** A record as it is stored. */
export type NewRecord = RecordKey & {
  /** JSON. */
  payload: string;
  grant_id: string | null;
  uid: string | null;
  user_code: string | null;
  session_id: SessionId | null;
  project_id: ProjectId | null;
  expires_at: Date | null;
};

const FIELDS = [
  ['model', 'text'],
  ['id', 'text'],
  ['payload', 'jsonb'],
  ['grant_id', 'text'],
  ['uid', 'text'],
  ['user_code', 'text'],
  ['session_id', 'text'],
  ['project_id', 'text'],
  ['expires_at', 'timestamptz'],
] as const;
const NAMES = FIELDS.map(([name]) => name).join(', ');
const UPDATES = FIELDS.filter(([name]) => name !== 'model' && name !== 'id')
  .map(([name]) => `${name} = excluded.${name}`)
  .join(', ');

/** SQL: the fields of records as parameters, one row each. */
function rowsOf(
  count: number,
  { from, before = '', after = '' }: { from: number; before?: string; after?: string },
): string {
  return Array.from({ length: count }, (_, row) => {
    const fields = FIELDS.map(([, type], field) => `$${from + row * FIELDS.length + field}::${type}`);
    return `(${before}${fields.join(', ')}${after})`;
  }).join(', ');
}

function valuesOf(records: readonly NewRecord[]): unknown[] {
  return records.flatMap((record) => FIELDS.map(([name]) => record[name]));
}

function upsertOf(count: number) {
  return preparedWrite(
    `write-oidc-records-${count}`,
    'provider',
    `insert into oidc_records (workspace_id, issuer, ${NAMES}, consumed_at)
     values ${rowsOf(count, { from: 3, before: '$1, $2, ', after: ', null' })}
     on conflict (workspace_id, issuer, model, id) do update set ${UPDATES}`,
  );
}

const USE = `update oidc_records set consumed_at = $5
  where workspace_id = $1 and issuer = $2 and model = $3 and id = $4 and consumed_at is null`;

const use = preparedWrite('use-oidc-record', 'provider', USE);

function useFor(count: number) {
  return preparedWrite(
    `use-oidc-record-for-${count}`,
    'provider',
    `with used as (${USE} returning id)
     insert into oidc_records (workspace_id, issuer, ${NAMES})
     select $1, $2, made.* from used cross join (values ${rowsOf(count, { from: 6 })}) as made (${NAMES})`,
  );
}

/** By the number of records. */
const upserts = [1, 2].map(upsertOf);
const usesFor = [1, 2].map(useFor);

/** Marks a code or token as used. @returns false if it was used before; of concurrent calls, exactly one returns true */
export async function markUsed(system: System, { workspace_id, issuer, model, id }: RecordKey): Promise<boolean> {
  const { rowCount } = await use(system, [workspace_id, issuer, model, id, system.clock.now()]);
  return rowCount === 1;
}

/** Writes records of one place. */
async function write(system: System, records: readonly NewRecord[]): Promise<void> {
  const [first] = records;
  const upsert = upserts[records.length - 1];
  if (!first || !upsert) throw new Error('One or two records are written at once.');
  const values = [first.workspace_id, first.issuer, ...valuesOf(records)];
  await repeatedAt('oidc_records_once', () => upsert(system, values));
}

/**
 * Marks a code as used and writes the tokens that are issued for it, in one statement.
 * @throws InvalidGrant if it was used before; then nothing is written
 */
async function redeem(system: System, code: RecordKey, tokens: readonly NewRecord[]): Promise<void> {
  const { workspace_id, issuer, model, id } = code;
  const useWith = usesFor[tokens.length - 1];
  const values = [workspace_id, issuer, model, id, system.clock.now(), ...valuesOf(tokens)];
  const done = useWith ? (await useWith(system, values)).rowCount !== 0 : await markUsed(system, code);
  if (!done) throw new errors.InvalidGrant(`${model} was used before`);
}

type Request = KoaContextWithOIDC['oidc'];
type Held = { code: RecordKey | null; records: NewRecord[] };

/** What a request has not written yet, because a later record goes with it in one statement. */
const held = new WeakMap<Request, Held>();

function heldBy(request: Request): Held {
  const known = held.get(request) ?? { code: null, records: [] };
  held.set(request, known);
  return known;
}

/** Whether a record waits for the one that the same request writes after it. */
function waits(request: Request, { model }: NewRecord): boolean {
  const grantType = request.params?.['grant_type'];
  // The session of the browser is stored at the end of each request.
  if (model === 'AuthorizationCode') return request.route === 'authorization' || request.route === 'resume';
  if (request.route !== 'token') return false;
  // See `issueRefreshToken` of the configuration: it settles if no refresh token follows.
  if (model === 'AccessToken') return grantType === 'authorization_code' && heldBy(request).code !== null;
  return model === 'RefreshToken' && grantType === 'refresh_token';
}

/** Whether a record is written at once, with those that waited for it. */
function isLast(request: Request, { model }: NewRecord): boolean {
  if (model === 'Session') return true;
  return request.route === 'token' && (model === 'RefreshToken' || model === 'AccessToken');
}

/**
 * Writes a record, with those of the request that waited for it.
 * @throws InvalidGrant if they are issued for a code that was used before
 */
export async function writeRecord(system: System, request: Request | undefined, record: NewRecord): Promise<void> {
  if (request && waits(request, record)) heldBy(request).records.push(record);
  else if (request && isLast(request, record)) await settle(system, request, record);
  else await write(system, [record]);
}

/**
 * Marks a code as used; at the token endpoint with the tokens that are issued for it, so that of concurrent requests
 * exactly one gets tokens.
 * @throws InvalidGrant if it was used before
 */
export async function useCode(system: System, request: Request | undefined, code: RecordKey): Promise<void> {
  if (request?.route === 'token' && code.model === 'AuthorizationCode') heldBy(request).code = code;
  else await redeem(system, code, []);
}

/**
 * Writes the records of a request that wait, together with its last one if that is given.
 * @throws InvalidGrant if it is issued for a code that was used before
 */
export async function settle(system: System, request: Request, last?: NewRecord): Promise<void> {
  const { code, records } = held.get(request) ?? { code: null, records: [] };
  held.delete(request);
  const all = last ? [...records, last] : records;
  const places = Map.groupBy(all, ({ workspace_id, issuer }) => `${workspace_id} ${issuer}`);
  const own = code ? places.get(`${code.workspace_id} ${code.issuer}`) : undefined;
  if (code) await redeem(system, code, own ?? []);
  for (const together of places.values()) {
    // biome-ignore lint/performance/noAwaitInLoops: all are in one place, but for sessions of earlier versions
    if (together !== own) await write(system, together);
  }
}

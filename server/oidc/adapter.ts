import { type Generated, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import Provider, { errors } from 'oidc-provider';
import { type Environment, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { Json } from '#platform/db.ts';
import type { ProjectId, SessionId } from '#platform/ids.ts';
import { hashSecret } from '#platform/keyring.ts';
import { deleteOldRows } from '#platform/part.ts';
import { type SealedColumn, sealedIn } from '#platform/sealed.ts';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import { REFRESH_GRACE_MS } from '#settings';
import { applicationAt, clientMetadata, type IssuerAddress, realmOf } from './clients.ts';
import { endGrants, endMadeOf, type GrantRef } from './grant-endings.ts';
import { markUsed, type NewRecord, useCode, writeRecord } from './record-writes.ts';
import { type Place, placeOf } from './routed-ids.ts';

type OidcRecordsTable = {
  workspace_id: Generated<Place>;
  issuer: string;
  model: string;
  id: string;
  payload: Json<AdapterPayload>;
  grant_id: string | null;
  uid: string | null;
  user_code: string | null;
  session_id: SessionId | null;
  project_id: ProjectId | null;
  consumed_at: Date | null;
  expires_at: Date | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    oidc_records: OidcRecordsTable;
  }
}

/** The storage of one issuer's provider: clients from the applications, everything else in `oidc_records`. */
export function adapterFor(system: System, issuer: IssuerAddress): AdapterFactory {
  return (model) => (model === 'Client' ? new ClientAdapter(system, issuer) : new TenantAdapter(system, issuer, model));
}

/** The storage of a provider with static clients. */
export function recordsFor(system: System, issuer: string): AdapterFactory {
  return (model) => new RecordAdapter(system, issuer, model);
}

/** Clients are administered as applications; the provider only reads them. */
class ClientAdapter implements Adapter {
  readonly #system: System;
  readonly #issuer: IssuerAddress;

  constructor(system: System, issuer: IssuerAddress) {
    this.#system = system;
    this.#issuer = issuer;
  }

  async find(clientId: string): Promise<AdapterPayload | undefined> {
    const application = await applicationAt(this.#system, this.#issuer, clientId);
    return application && clientMetadata(application, this.#issuer);
  }

  async upsert(): Promise<void> {
    throw new errors.InvalidRequest('clients are not registered here');
  }

  async findByUid(): Promise<undefined> {}
  async findByUserCode(): Promise<undefined> {}
  async consume(): Promise<void> {}
  async destroy(): Promise<void> {}
  async revokeByGrantId(): Promise<void> {}
}

type EndedAt = (clientId: string) => Promise<Date | null>;

/**
 * Bearer credentials, stored as a hash like all tokens (RFC 6819 §5.1.4.1.3). Each ends with its grant. An open
 * interaction also names a grant, but continues without it.
 */
const BEARER = new Set(['AccessToken', 'AuthorizationCode', 'DeviceCode', 'RefreshToken']);
const SEALED = 'oidc-token';

/** Where bearer credentials are kept. */
export const bearerTokens: SealedColumn = {
  ...sealedIn('oidc_records', 'payload'),
  json: {
    text: sql`payload->>'jti'`,
    again: (content, seal) => ({ ...Object(content), jti: seal(String(Object(content).jti)) }),
  },
};

type Row = Pick<Selectable<OidcRecordsTable>, 'id' | 'payload' | 'consumed_at'>;
type Rows = { execute: () => Promise<Row[]> };

/** SQL: the id of the grant that belongs to a bearer credential, or to the client in a session. The same request needs it next. */
const GRANT_IN: Readonly<Record<string, (clientId: unknown) => RawBuilder<unknown>>> = {
  AccessToken: () => sql`r.grant_id`,
  AuthorizationCode: () => sql`r.grant_id`,
  RefreshToken: () => sql`r.grant_id`,
  Session: (clientId) => sql`r.payload #>> array['authorizations', ${String(clientId)}::text, 'grantId']`,
};

/** Grants that were read together with the credential or session of a request, until the provider asks for them. */
const grantsRead = new WeakMap<object, Map<string, Row>>();

/** Records of one model: codes, grants, sessions, replay marks. */
export class RecordAdapter implements Adapter {
  readonly #system: System;
  readonly #issuer: string;
  readonly #model: string;
  readonly #endedAt: EndedAt;

  /** @param endedAt the time up to which a client's records are invalid; not used for writes */
  constructor(system: System, issuer: string, model: string, endedAt: EndedAt = async () => null) {
    this.#system = system;
    this.#issuer = issuer;
    this.#model = model;
    this.#endedAt = endedAt;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const key = this.#keyOf(id);
    const sealed = this.#isBearer ? { jti: this.#system.keyring.seal(id, SEALED, key) } : {};
    const record: NewRecord = {
      ...(await this.#at(id)),
      id: key,
      payload: JSON.stringify({ ...payload, ...sealed }),
      grant_id: this.#isBearer ? (payload.grantId ?? null) : null,
      uid: payload.uid ?? null,
      user_code: payload.userCode ?? null,
      session_id: payload.sessionId ?? null,
      project_id: payload.projectId ?? null,
      expires_at: expiresIn === undefined ? null : new Date(this.#system.clock.now().getTime() + expiresIn * 1000),
    };
    await writeRecord(this.#system, Provider.ctx?.oidc, record);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const { workspace_id: place } = await this.#at(id);
    const rows = this.#rowsBy('id', this.#keyOf(id)).where('workspace_id', '=', place);
    const { ctx } = Provider;
    if (!ctx) return this.#read(rows);
    if (this.#model === 'Grant') return this.#read(this.#readBefore(ctx.oidc, id) ?? rows);
    const grantIn = GRANT_IN[this.#model];
    if (!grantIn) return this.#read(rows);
    const withGrant = await rows.select(this.#grantWith(place, grantIn(ctx.query['client_id'])).as('grant')).execute();
    const grants = withGrant.flatMap(({ grant }) => (grant ? [[`${this.#issuer} ${grant.id}`, grant] as const] : []));
    grantsRead.set(ctx.oidc, new Map(grants));
    return this.#read({ execute: async () => withGrant });
  }

  /** SQL: a grant, as a column of the statement that reads its credential or session. Served by the primary key. */
  #grantWith(place: string, id: RawBuilder<unknown>): RawBuilder<Row | null> {
    const now = this.#system.clock.now();
    return sql<Row | null>`(select json_build_object('id', g.id, 'payload', g.payload, 'consumed_at', null)
      from oidc_records g where g.workspace_id = ${place} and g.issuer = ${this.#issuer} and g.model = 'Grant'
      and g.id = ${id} and (g.expires_at is null or g.expires_at > ${now}))`;
  }

  /** A grant that was read with the credential or session of the request. It is returned once; the next call reads it again. */
  #readBefore(request: object, id: string): Rows | undefined {
    const known = grantsRead.get(request);
    const key = `${this.#issuer} ${id}`;
    const grant = known?.get(key);
    known?.delete(key);
    return grant && { execute: async () => [grant] };
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const { workspace_id: place } = await this.#at(uid);
    return this.#read(this.#rowsBy('uid', uid).where('workspace_id', '=', place));
  }

  /**
   * A person types the code, which names no workspace. Workspaces may have the same one at the same time; then it finds
   * neither device. Served by oidc_records_by_user_code.
   */
  findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#read(this.#rowsBy('user_code', userCode).modifyEnd(sql`/* all workspaces */`));
  }

  /**
   * Marks a code or refresh token as used. The library reads first and then marks, so only the call that changes the
   * row succeeds (OA-2, SE-6).
   * @throws InvalidGrant when it was used before
   */
  async consume(id: string): Promise<void> {
    await useCode(this.#system, Provider.ctx?.oidc, { ...(await this.#at(id)), id: this.#keyOf(id) });
  }

  async destroy(id: string): Promise<void> {
    const { workspace_id: place } = await this.#at(id);
    await singleWrite(this.#system, 'provider')
      .deleteFrom('oidc_records')
      .where('workspace_id', '=', place)
      .where('issuer', '=', this.#issuer)
      .where('model', '=', this.#model)
      .where('id', '=', this.#keyOf(id))
      .execute();
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    const { workspace_id: place } = await this.#at(grantId);
    await singleWrite(this.#system, 'provider')
      .deleteFrom('oidc_records')
      .where('workspace_id', '=', place)
      .where('issuer', '=', this.#issuer)
      .where('grant_id', '=', grantId)
      .execute();
  }

  /** Records from before a client was disabled stay invalid when it is enabled again. */
  async #hasEnded({ clientId, iat }: AdapterPayload): Promise<boolean> {
    if (!this.#isBearer || typeof clientId !== 'string') return false;
    const endedAt = await this.#endedAt(clientId);
    return endedAt !== null && Number(iat) * 1000 <= endedAt.getTime();
  }

  #rowsBy(column: 'id' | 'uid' | 'user_code', value: string) {
    return this.#system.db
      .selectFrom('oidc_records as r')
      .select(['id', 'payload', 'consumed_at'])
      .where('issuer', '=', this.#issuer)
      .where('model', '=', this.#model)
      .where(column, '=', value)
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', this.#system.clock.now())]));
  }

  async #read(rows: Rows): Promise<AdapterPayload | undefined> {
    const [row, another] = await rows.execute();
    if (!row || another || (await this.#hasEnded(row.payload))) return undefined;
    const { id, payload, consumed_at: consumed } = row;
    const jti = this.#isBearer ? this.#system.keyring.open(String(payload.jti), SEALED, id) : payload.jti;
    return {
      ...payload,
      ...(jti !== undefined && { jti }),
      ...(consumed && this.#usedAt(consumed)),
    };
  }

  /** The token endpoint decides itself on a refresh token that was used a moment ago (see `isRotated`). */
  #usedAt(consumed: Date): { consumed: number } | { usedAt: number } {
    const at = Math.floor(consumed.getTime() / 1000);
    const isRecent = this.#system.clock.now().getTime() - consumed.getTime() <= REFRESH_GRACE_MS;
    const repeats = isRecent && this.#model === 'RefreshToken' && Provider.ctx?.oidc.route === 'token';
    return repeats ? { usedAt: at } : { consumed: at };
  }

  get #isBearer(): boolean {
    return BEARER.has(this.#model);
  }

  /** The workspace, issuer and model of the record with an id. */
  async #at(id: string) {
    return { workspace_id: await placeOf(this.#system, id), issuer: this.#issuer, model: this.#model };
  }

  #keyOf(id: string): string {
    return this.#isBearer ? keyOfBearer(id) : id;
  }
}

/** The key under which a code or token is stored. */
export function keyOfBearer(token: string): string {
  return hashSecret(token).toString('base64url');
}

/** The refresh tokens of an issuer, and which one replaced which. */
export class RefreshTokens {
  readonly #system: System;
  readonly #issuer: string;

  constructor(system: System, issuer: IssuerAddress) {
    this.#system = system;
    this.#issuer = realmOf(issuer);
  }

  /** @returns false if the token was used before; of concurrent calls, exactly one returns true */
  async use(token: string): Promise<boolean> {
    const workspace_id = await placeOf(this.#system, token);
    return markUsed(this.#system, {
      workspace_id,
      issuer: this.#issuer,
      model: 'RefreshToken',
      id: keyOfBearer(token),
    });
  }

  /** The token that replaced a token. Served by oidc_records_of_grant. */
  async successorOf(
    token: string,
    grantId: string | undefined,
  ): Promise<{ token: string | undefined; isUsed: boolean } | undefined> {
    const row = await this.#system.db
      .selectFrom('oidc_records')
      .select(['id', 'payload', 'consumed_at'])
      .where('workspace_id', '=', await placeOf(this.#system, token))
      .where('issuer', '=', this.#issuer)
      .where('grant_id', '=', grantId ?? '')
      .where('model', '=', 'RefreshToken')
      .where(sql<boolean>`payload->>'replaces' = ${keyOfBearer(token)}`)
      .executeTakeFirst();
    if (!row) return undefined;
    const opened = this.#system.keyring.open(String(row.payload.jti), SEALED, row.id);
    return { token: opened, isUsed: row.consumed_at !== null };
  }
}

/** Records of tenants: the codes, tokens and sessions of a grant end with it, also outside of the provider. */
class TenantAdapter extends RecordAdapter {
  readonly #system: System;
  readonly #environment: Environment;
  readonly #issuer: string;
  readonly #model: string;

  constructor(system: System, issuer: IssuerAddress, model: string) {
    super(system, realmOf(issuer), model, async (clientId) => {
      const application = await applicationAt(system, issuer, clientId);
      return application?.signInsEndedAt ?? null;
    });
    this.#system = system;
    this.#environment = issuer.environment;
    this.#issuer = realmOf(issuer);
    this.#model = model;
  }

  /** Ends a grant: its application revoked it, or a code or refresh token was used twice (RFC 9700 §4.14.2). */
  override async destroy(id: string): Promise<void> {
    if (this.#model === 'Grant') await this.#end(id, (tx, grant) => endGrants(tx, [grant], 'grant_revoked'));
    else await super.destroy(id);
  }

  /** The provider calls this once per kind of token; the first call ends them all. */
  override async revokeByGrantId(id: string): Promise<void> {
    if (this.#model !== 'AccessToken') return;
    await this.#end(id, (tx, grant) => endMadeOf(tx, [grant], 'grant_revoked'));
  }

  async #end(id: string, end: (tx: TxCtx, grant: GrantRef) => Promise<void>): Promise<void> {
    const place = await placeOf(this.#system, id);
    const bound = (await new RecordAdapter(this.#system, this.#issuer, 'Grant').find(id)) ?? {};
    const { workspaceId, projectId } = bound;
    if (!workspaceId || !projectId) return;
    const scope = { workspaceId, projectId, environment: this.#environment };
    await transaction(systemCtx(this.#system, scope, 'oidc', 'oidc'), async (tx) => {
      // The provider requests both at once; this runs them one after the other.
      const { rows } = await sql`select from oidc_records
        where workspace_id = ${place} and issuer = ${this.#issuer} and model = 'Grant' and id = ${id} for update`.execute(
        tx.db,
      );
      if (rows.length > 0) await end(tx, { workspace_id: place, issuer: this.#issuer, id });
    });
  }
}

/** Deletes expired records. Runs as a job. */
export async function oidcCleanup(system: System): Promise<void> {
  await deleteOldRows(system, 'oidc_records', {
    column: 'expires_at',
    before: new Date(system.clock.now().getTime() + 1),
  });
}

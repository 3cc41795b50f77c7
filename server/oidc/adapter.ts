import { sql } from 'kysely';
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
import { endGrants, endMadeOf } from './grant-endings.ts';

type OidcRecordsTable = {
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
    const record = {
      payload: JSON.stringify({ ...payload, ...sealed }),
      grant_id: this.#isBearer ? (payload.grantId ?? null) : null,
      uid: payload.uid ?? null,
      user_code: payload.userCode ?? null,
      session_id: payload.sessionId ?? null,
      project_id: payload.projectId ?? null,
      expires_at: expiresIn === undefined ? null : new Date(this.#system.clock.now().getTime() + expiresIn * 1000),
    };
    await singleWrite(this.#system, 'provider')
      .insertInto('oidc_records')
      .values({ issuer: this.#issuer, model: this.#model, id: key, ...record, consumed_at: null })
      .onConflict((conflict) => conflict.columns(['issuer', 'model', 'id']).doUpdateSet(record))
      .execute();
  }

  find(id: string): Promise<AdapterPayload | undefined> {
    return this.#findBy('id', this.#keyOf(id));
  }

  findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#findBy('uid', uid);
  }

  findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#findBy('user_code', userCode);
  }

  /**
   * Marks a code or refresh token as used. The library reads first and then marks, so only the call that changes the
   * row succeeds (OA-2, SE-6).
   * @throws InvalidGrant when it was used before
   */
  async consume(id: string): Promise<void> {
    const place = { issuer: this.#issuer, model: this.#model, id: this.#keyOf(id) };
    if (!(await markUsed(this.#system, place))) throw new errors.InvalidGrant(`${this.#model} was used before`);
  }

  async destroy(id: string): Promise<void> {
    await singleWrite(this.#system, 'provider')
      .deleteFrom('oidc_records')
      .where('issuer', '=', this.#issuer)
      .where('model', '=', this.#model)
      .where('id', '=', this.#keyOf(id))
      .execute();
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await singleWrite(this.#system, 'provider')
      .deleteFrom('oidc_records')
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

  async #findBy(column: 'id' | 'uid' | 'user_code', value: string): Promise<AdapterPayload | undefined> {
    const row = await this.#system.db
      .selectFrom('oidc_records')
      .select(['id', 'payload', 'consumed_at'])
      .where('issuer', '=', this.#issuer)
      .where('model', '=', this.#model)
      .where(column, '=', value)
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', this.#system.clock.now())]))
      .executeTakeFirst();
    if (!row || (await this.#hasEnded(row.payload))) return undefined;
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

  #keyOf(id: string): string {
    return this.#isBearer ? keyOfBearer(id) : id;
  }
}

/** The key under which a code or token is stored. */
export function keyOfBearer(token: string): string {
  return hashSecret(token).toString('base64url');
}

/** @returns false if it was used before; of concurrent calls, exactly one returns true */
async function markUsed(system: System, place: { issuer: string; model: string; id: string }): Promise<boolean> {
  const { numUpdatedRows } = await singleWrite(system, 'provider')
    .updateTable('oidc_records')
    .set({ consumed_at: system.clock.now() })
    .where('issuer', '=', place.issuer)
    .where('model', '=', place.model)
    .where('id', '=', place.id)
    .where('consumed_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
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
  use(token: string): Promise<boolean> {
    return markUsed(this.#system, { issuer: this.#issuer, model: 'RefreshToken', id: keyOfBearer(token) });
  }

  /** The token that replaced a token. Served by oidc_records_of_grant. */
  async successorOf(
    token: string,
    grantId: string | undefined,
  ): Promise<{ token: string | undefined; isUsed: boolean } | undefined> {
    const row = await this.#system.db
      .selectFrom('oidc_records')
      .select(['id', 'payload', 'consumed_at'])
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
    if (this.#model === 'Grant')
      await this.#end(id, (tx) => endGrants(tx, [{ issuer: this.#issuer, id }], 'grant_revoked'));
    else await super.destroy(id);
  }

  /** The provider calls this once per kind of token; the first call ends them all. */
  override async revokeByGrantId(id: string): Promise<void> {
    if (this.#model !== 'AccessToken') return;
    await this.#end(id, (tx) => endMadeOf(tx, [{ issuer: this.#issuer, id }], 'grant_revoked'));
  }

  async #end(id: string, end: (tx: TxCtx) => Promise<void>): Promise<void> {
    const bound = (await new RecordAdapter(this.#system, this.#issuer, 'Grant').find(id)) ?? {};
    const { workspaceId, projectId } = bound;
    if (!workspaceId || !projectId) return;
    const scope = { workspaceId, projectId, environment: this.#environment };
    await transaction(systemCtx(this.#system, scope, 'oidc', 'oidc'), async (tx) => {
      // The provider requests both at once; this runs them one after the other.
      const { rows } = await sql`select from oidc_records
        where issuer = ${this.#issuer} and model = 'Grant' and id = ${id} for update`.execute(tx.db);
      if (rows.length > 0) await end(tx);
    });
  }
}

/**
 * Marks a one-time value, such as the id of a proof, as used.
 * @returns false if it was used before; of concurrent calls, exactly one returns true
 */
export async function spendOnce(
  system: System,
  issuer: IssuerAddress,
  { id, seconds }: { id: string; seconds: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await singleWrite(system, 'provider')
    .insertInto('oidc_records')
    .values({
      issuer: realmOf(issuer),
      model: 'ReplayDetection',
      id,
      payload: JSON.stringify({ jti: id }),
      expires_at: new Date(system.clock.now().getTime() + seconds * 1000),
    })
    .onConflict((conflict) => conflict.columns(['issuer', 'model', 'id']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** True if a one-time value was marked as used. */
export async function isSpent(system: System, issuer: IssuerAddress, id: string): Promise<boolean> {
  return (await new RecordAdapter(system, realmOf(issuer), 'ReplayDetection').find(id)) !== undefined;
}

/** Deletes expired records. Runs as a job. */
export async function oidcCleanup(system: System): Promise<void> {
  await deleteOldRows(system, 'oidc_records', sql`expires_at <= ${system.clock.now()}`);
}

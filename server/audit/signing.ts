import {
  CompactSign,
  type CryptoKey,
  calculateJwkThumbprint,
  compactVerify,
  EmbeddedJWK,
  exportJWK,
  exportPKCS8,
  generateKeyPair,
  importPKCS8,
  type JWK,
} from 'jose';
import type { Json, ReadDb } from '#platform/db.ts';
import { newId } from '#platform/ids.ts';
import { singleWrite } from '#platform/single-writes.ts';
import { perSystem, type System } from '#platform/system.ts';

type AuditKeysTable = { purpose: string; id: string; public_jwk: Json<JWK>; private_sealed: string; created_at: Date };

declare module '#platform/db.ts' {
  interface Tables {
    audit_keys: AuditKeysTable;
  }
}

const PURPOSE = 'checkpoints';
const SEALED_AS = 'audit-key';
const ALGORITHM = 'ES256';
const TYPE = 'latchkey-audit+jws';

type AuditKey = { privateKey: CryptoKey; publicJwk: JWK };

const keyOf = perSystem((system) => {
  const kept: { key?: Promise<AuditKey> } = {};
  return (): Promise<AuditKey> => {
    kept.key ??= loadOrCreate(system).catch((error: unknown) => {
      delete kept.key;
      throw error;
    });
    return kept.key;
  };
});

/** The installation's only key, created at first use. If two processes create it at once, the first one wins. */
async function loadOrCreate(system: System): Promise<AuditKey> {
  const row = (await find(system.db)) ?? (await make(system));
  const privateKey = await importPKCS8(system.keyring.open(row.private_sealed, SEALED_AS, row.id), ALGORITHM);
  return { privateKey, publicJwk: row.public_jwk };
}

function find(db: ReadDb) {
  return db.selectFrom('audit_keys').selectAll().where('purpose', '=', PURPOSE).executeTakeFirst();
}

async function make(system: System) {
  const now = system.clock.now();
  const pair = await generateKeyPair(ALGORITHM, { extractable: true });
  const { kty, crv, x, y } = await exportJWK(pair.publicKey);
  const id = newId('key', now);
  await singleWrite(system, 'first')
    .insertInto('audit_keys')
    .values({
      purpose: PURPOSE,
      id,
      public_jwk: JSON.stringify({ kty, crv, x, y }),
      private_sealed: system.keyring.seal(await exportPKCS8(pair.privateKey), SEALED_AS, id),
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const kept = await find(system.db);
  if (!kept) throw new Error('The signing key of the audit log is missing right after it was created.');
  return kept;
}

/** Signs claims as a compact JWS that contains its public key, so that it can be verified offline. */
export async function signAudit(system: System, claims: Record<string, unknown>): Promise<string> {
  const { privateKey, publicJwk } = await keyOf(system)();
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, jwk: publicJwk })
    .sign(privateKey);
}

/** The thumbprint (RFC 7638) of the signing key, for auditors to record and compare. */
export async function auditKeyThumbprint(system: System): Promise<string> {
  return calculateJwkThumbprint((await keyOf(system)()).publicJwk);
}

/**
 * Verifies a signature with the key it contains.
 * @returns the claims, and the key's thumbprint
 * @throws Error if the signature is invalid
 */
export async function openSigned(signed: string): Promise<{ claims: unknown; thumbprint: string }> {
  const { payload, protectedHeader } = await compactVerify(signed, EmbeddedJWK, { algorithms: [ALGORITHM] });
  if (protectedHeader.typ !== TYPE || !protectedHeader.jwk) throw new Error('This is not a signature of an audit log.');
  return {
    claims: JSON.parse(Buffer.from(payload).toString()),
    thumbprint: await calculateJwkThumbprint(protectedHeader.jwk),
  };
}

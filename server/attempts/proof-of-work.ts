import { hash } from 'node:crypto';
import { createChallenge, verifySolution } from 'altcha-lib/v1';
import { type Static, Type } from 'typebox';
import { projectOf } from '#environments';
import type { Ctx, Environment } from '#platform/ctx.ts';
import type { WorkspaceId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { preparedWrite } from '#platform/single-writes.ts';

type SpentProofsTable = { workspace_id: WorkspaceId; environment: Environment; hash: Buffer; expires_at: Date };

declare module '#platform/db.ts' {
  interface Tables {
    spent_proofs: SpentProofsTable;
  }
}

const CHALLENGE_SECONDS = 600;
/** Takes a phone about a quarter of a second. */
const MAX_NUMBER = 100_000;

/** The solved challenge, as an ALTCHA widget submits it. */
export const proofField = {
  proof: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: 'The payload of a solved challenge, if the project requires a proof of work.',
    }),
  ),
};

/** A challenge in the format of ALTCHA's widgets. */
export const ProofChallenge = Type.Object({
  algorithm: Type.String(),
  challenge: Type.String(),
  maxnumber: Type.Integer(),
  salt: Type.String(),
  signature: Type.String(),
});

function keyOf(ctx: Ctx): string {
  const { workspaceId, environment, projectId } = ctx.scope;
  return ctx.system.keyring.tag(`${workspaceId}/${projectId}/${environment}`, 'proof-of-work').toString('base64url');
}

/** Creates a challenge that is expensive to solve and cheap to check. */
export async function newProofChallenge(ctx: Ctx): Promise<Static<typeof ProofChallenge>> {
  const { maxnumber = MAX_NUMBER, ...challenge } = await createChallenge({
    hmacKey: keyOf(ctx),
    maxnumber: MAX_NUMBER,
    expires: new Date(ctx.now.getTime() + CHALLENGE_SECONDS * 1000),
  });
  return { ...challenge, maxnumber };
}

/**
 * If the project requires one, checks a solved challenge and spends it, so that it can't be used twice.
 * @throws Problem VALIDATION_FAILED without a solution, INVALID_TOKEN for a wrong, expired or used one
 */
export async function requireProof(ctx: Ctx, payload: string | undefined): Promise<void> {
  const { settings } = await projectOf(ctx.system, ctx.scope);
  if (settings.proofOfWork === 'off') return;
  if (payload === undefined) {
    const message = 'is required here: solve a challenge of GET /v1/auth/challenge first';
    throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/proof', message }] } });
  }
  if (!(await isSolved(ctx, payload))) throw problem('INVALID_TOKEN', 'The challenge is unsolved or has expired.');
  await spend(ctx, payload);
}

async function isSolved(ctx: Ctx, payload: string): Promise<boolean> {
  try {
    return await verifySolution(payload, keyOf(ctx));
  } catch {
    return false;
  }
}

async function spend(ctx: Ctx, payload: string): Promise<void> {
  // The challenge identifies the puzzle, because it is what was signed. The salt does not: several salts give the same challenge.
  const { challenge }: { challenge?: unknown } = Object(JSON.parse(Buffer.from(payload, 'base64').toString('utf8')));
  const { workspaceId, environment } = ctx.scope;
  const { rowCount } = await spendOnce(ctx.system, [
    workspaceId,
    environment,
    hash('sha256', String(challenge).toLowerCase(), 'buffer'),
    new Date(ctx.now.getTime() + CHALLENGE_SECONDS * 1000),
  ]);
  if (rowCount === 0) throw problem('INVALID_TOKEN', 'The challenge was already used.');
}

/**
 * A transaction of its own, so that a failed request still spends it, and later password hashing holds no connection.
 */
const spendOnce = preparedWrite(
  'spend-proof',
  'claim',
  `insert into spent_proofs (workspace_id, environment, hash, expires_at) values ($1, $2, $3, $4) on conflict do nothing`,
);

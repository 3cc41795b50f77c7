import { timingSafeEqual } from 'node:crypto';
import { Type } from 'typebox';
import { type Id, IdSchema } from '#platform/ids.ts';
import { hashSecret } from '#platform/keyring.ts';
import { problem } from '#platform/problem.ts';

export type AddressChallengeId = Id<'flw'>;
export const AddressChallengeId = IdSchema('flw');

/** A one-time code as people type it. */
export const OneTimeCode = Type.String({ pattern: '^[0-9 ]{6,9}$', examples: ['12345678'] });

/** The digits of a code that was typed with spaces. */
export function digitsOf(typed: string): string {
  return typed.replaceAll(' ', '');
}

/**
 * The proof that a message was received: the code of a challenge, or the link, with the mark of the browser that opened
 * it.
 */
export type Proof = { flowId: AddressChallengeId; code: string } | LinkProof;
export type LinkProof = { token: string; browser?: string | undefined };

export const proofFields = {
  flowId: Type.Optional(AddressChallengeId),
  code: Type.Optional(OneTimeCode),
  token: Type.Optional(
    Type.String({ pattern: '^lkf_[a-z0-9]{8}_[A-Za-z0-9_-]{43}$', description: 'The token of the mailed link.' }),
  ),
};

type ProofFields = { flowId?: AddressChallengeId; code?: string; token?: string };

/**
 * Reads a proof from a body.
 * @param browser the mark of the browser that sent it
 * @throws Problem VALIDATION_FAILED unless it holds `token`, or `flowId` and `code`
 */
export function proofOf({ flowId, code, token }: ProofFields, browser?: string): Proof {
  if (token !== undefined && flowId === undefined && code === undefined) return { token, browser };
  if (token === undefined && flowId !== undefined && code !== undefined) return { flowId, code: digitsOf(code) };
  const message = 'expected either `token`, or `flowId` and `code`';
  throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body', message }] } });
}

/** Whether a link is opened in the browser that requested it. */
export function isMarked({ browser }: LinkProof, hash: Buffer | null): boolean {
  return browser !== undefined && hash !== null && timingSafeEqual(hashSecret(browser), hash);
}

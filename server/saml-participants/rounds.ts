import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { projectOf } from '#environments';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { nullable } from '#platform/schemas.ts';
import { acrossProjects, scopeColumns } from '#platform/scoped.ts';
import { Participant } from './participants.ts';

type SamlRoundsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  state_hash: Buffer;
  sealed: string;
  /** The client id of the application at which the browser is, and since when. */
  waiting_for: string | null;
  waiting_since: Date | null;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    saml_rounds: SamlRoundsTable;
  }
}

/** Where a round ends: at an address, or at the application that asked for the logout. */
const End = Type.Union([
  Type.Object({ kind: Type.Literal('address'), url: Type.String() }),
  Type.Object({
    kind: Type.Literal('response'),
    clientId: Type.String(),
    requestId: Type.String(),
    relayState: nullable(Type.String()),
  }),
]);
type End = Static<typeof End>;

const Round = Type.Object({
  /** The applications that the browser has not been at; at the first while `asked` is set. */
  stops: Type.Array(Participant),
  asked: nullable(Type.Object({ requestId: Type.String() })),
  /** The client ids of applications that did not confirm. */
  missed: Type.Array(Type.String()),
  /** Where the browser logs out at the identity provider behind the session. */
  identityProvider: nullable(Type.String()),
  end: End,
  /** Milliseconds since the epoch. */
  usableUntil: Type.Number(),
});
type Round = Static<typeof Round>;

const SEALED = 'saml-round';
/** How long a browser may take for a round. */
const USABLE_MS = 300_000;
/** How long it is known that an application did not respond. */
const KEPT_MS = 86_400_000;
/** After this time, an application counts as one that does not respond. */
const PATIENCE_MS = 30_000;

/** The path of a round, at every auth address. */
export function roundPath(state: string): string {
  return `/saml/logouts/${state}`;
}

export type NewRound = Pick<Round, 'stops' | 'end'> & {
  /** Makes the address at which the browser logs out at the identity provider; it leads back to the round. */
  identityProvider?: string | null;
};

/** A secret that names a round: a browser that has it goes on with the round. */
export async function newRoundState(ctx: Ctx | TxCtx): Promise<string> {
  const { routingKey } = await projectOf(ctx.system, ctx.scope);
  return `lko_${routingKey}_${randomSecret()}`;
}

/** Begins a logout that leads a browser through applications, after the session has ended. */
export async function beginRound(tx: TxCtx, state: string, { stops, end, identityProvider = null }: NewRound) {
  const silent = await silentLately(tx);
  const isSilent = ({ clientId }: Participant) => silent.has(clientId);
  const round: Round = {
    // An application that does not send the browser back holds up those after it.
    stops: [...stops.filter((stop) => !isSilent(stop)), ...stops.filter(isSilent)],
    asked: null,
    missed: [],
    identityProvider,
    end,
    usableUntil: tx.now.getTime() + USABLE_MS,
  };
  const stateHash = hashSecret(state);
  await tx.db
    .insertInto('saml_rounds')
    .values({
      ...scopeColumns(tx),
      state_hash: stateHash,
      sealed: sealed(tx, stateHash, round),
      waiting_for: null,
      waiting_since: null,
      expires_at: new Date(tx.now.getTime() + KEPT_MS),
    })
    .execute();
}

/** The applications at which browsers stayed. Served by saml_rounds_waiting. */
async function silentLately(tx: TxCtx): Promise<Set<string>> {
  const rows = await tx.db
    .selectFrom('saml_rounds')
    .select('waiting_for as clientId')
    .distinct()
    .where(acrossProjects(tx))
    .where('waiting_for', 'is not', null)
    .where('waiting_since', '<', new Date(tx.now.getTime() - PATIENCE_MS))
    .execute();
  return new Set(rows.flatMap(({ clientId }) => (clientId === null ? [] : [clientId])));
}

function sealed(tx: TxCtx, stateHash: Buffer, round: Round): string {
  return tx.system.keyring.seal(JSON.stringify(round), SEALED, stateHash.toString('hex'));
}

/** Serializes the steps of one round; undefined for an unknown one, and one that took too long. */
async function lockRound(tx: TxCtx, stateHash: Buffer): Promise<Round | undefined> {
  const row = await tx.db
    .selectFrom('saml_rounds')
    .select('sealed')
    .where(acrossProjects(tx))
    .where('state_hash', '=', stateHash)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return undefined;
  const text = tx.system.keyring.open(row.sealed, SEALED, stateHash.toString('hex'));
  const round = Value.Parse(Round, JSON.parse(text));
  return round.usableUntil > tx.now.getTime() ? round : undefined;
}

async function keepRound(tx: TxCtx, stateHash: Buffer, round: Round): Promise<void> {
  await tx.db
    .updateTable('saml_rounds')
    .set({
      sealed: sealed(tx, stateHash, round),
      waiting_for: round.asked ? (round.stops[0]?.clientId ?? null) : null,
      waiting_since: round.asked ? tx.now : null,
    })
    .where(acrossProjects(tx))
    .where('state_hash', '=', stateHash)
    .execute();
}

/** What comes next in a round. */
export type Step =
  | { kind: 'ask'; participant: Participant; requestId: string; left: number }
  | { kind: 'identity provider'; url: string }
  | { kind: 'end'; end: End; missed: string[] };

/**
 * The next step of a round. A browser that comes back from an application without a response goes on with the next one.
 * @param isReachable whether an application can be asked to log a person out
 * @returns undefined for an unknown round, and one that took too long
 */
export function nextStep(
  ctx: Ctx,
  state: string,
  isReachable: (tx: TxCtx, participant: Participant) => Promise<boolean>,
): Promise<Step | undefined> {
  const stateHash = hashSecret(state);
  return transaction(ctx, async (tx) => {
    const round = await lockRound(tx, stateHash);
    if (!round) return undefined;
    if (round.asked) passOver(round);
    for (;;) {
      const [participant] = round.stops;
      // biome-ignore lint/performance/noAwaitInLoops: the first that can be asked
      if (!participant || (await isReachable(tx, participant))) break;
      passOver(round);
    }
    const step = stepOf(round);
    if (step.kind === 'ask') round.asked = { requestId: step.requestId };
    else round.identityProvider = null;
    await (step.kind === 'end' ? removeRound(tx, stateHash) : keepRound(tx, stateHash, round));
    return step;
  });
}

function passOver(round: Round): void {
  const [missed] = round.stops.splice(0, 1);
  if (missed) round.missed.push(missed.clientId);
  round.asked = null;
}

function stepOf({ stops, identityProvider, end, missed }: Round): Step {
  const [participant] = stops;
  if (participant) return { kind: 'ask', participant, requestId: `_${randomSecret()}`, left: stops.length };
  if (identityProvider !== null) return { kind: 'identity provider', url: identityProvider };
  return { kind: 'end', end, missed };
}

async function removeRound(tx: TxCtx, stateHash: Buffer): Promise<void> {
  await tx.db.deleteFrom('saml_rounds').where(acrossProjects(tx)).where('state_hash', '=', stateHash).execute();
}

/**
 * Takes the response of an application.
 * @param confirms whether the response to the request with this id says that the person is logged out there
 * @returns whether a round waited for it
 */
export function noteResponse(
  ctx: Ctx,
  { state, clientId }: { state: string; clientId: string },
  confirms: (requestId: string) => boolean,
): Promise<boolean> {
  const stateHash = hashSecret(state);
  return transaction(ctx, async (tx) => {
    const round = await lockRound(tx, stateHash);
    if (!round?.asked || round.stops[0]?.clientId !== clientId) return false;
    if (confirms(round.asked.requestId)) {
      round.stops.shift();
      round.asked = null;
    } else passOver(round);
    await keepRound(tx, stateHash, round);
    return true;
  });
}

import { applicationRemovals } from '#applications';
import { attemptsPart } from '#attempts';
import { auditRemovals } from '#audit';
import { billingRemovals } from '#billing';
import { domainsPart } from '#domains';
import { eventRemovals } from '#events';
import { exchangePart } from '#exchange';
import { factorsPart } from '#factors';
import { federationPart } from '#federation';
import { figuresPart } from '#figures';
import { importsPart } from '#imports';
import { invitationsPart } from '#invitations';
import { memberRemovals } from '#members';
import { messageRemovals } from '#messages';
import { oidcRemovals } from '#oidc';
import { operatorsPart } from '#operators';
import { passkeysPart } from '#passkeys';
import { passwordsPart } from '#passwords';
import { peoplePart } from '#people';
import type { Part } from '#platform/part.ts';
import { proofsPart } from '#proofs';
import { sessionRemovals } from '#sessions';
import { signInPart } from '#sign-in';
import { tenancyRemovals } from '#tenancy';
import { webhookRemovals } from '#webhooks';

/** The parts that keep something of a tenant, in an order in which no row refers to a row that is removed before it. */
export const PARTS: readonly Part[] = [
  { removals: webhookRemovals },
  { removals: oidcRemovals },
  proofsPart,
  exchangePart,
  federationPart,
  signInPart,
  attemptsPart,
  { removals: sessionRemovals },
  invitationsPart,
  importsPart,
  { removals: memberRemovals },
  { removals: applicationRemovals },
  { removals: messageRemovals },
  { removals: billingRemovals },
  passkeysPart,
  factorsPart,
  passwordsPart,
  peoplePart,
  figuresPart,
  operatorsPart,
  { removals: auditRemovals },
  { removals: eventRemovals },
  domainsPart,
  { removals: tenancyRemovals },
];

import { accessTokensPart } from '#access-tokens';
import { apisPart } from '#apis';
import { applicationsPart } from '#applications';
import { attemptsPart } from '#attempts';
import { auditPart } from '#audit';
import { billingPart } from '#billing';
import { devicesPart } from '#devices';
import { domainsPart } from '#domains';
import { environmentsPart } from '#environments';
import { eventsPart } from '#events';
import { exchangePart } from '#exchange';
import { factorsPart } from '#factors';
import { federationPart } from '#federation';
import { figuresPart } from '#figures';
import { identifiersPart } from '#identifiers';
import { importsPart } from '#imports';
import { invitationsPart } from '#invitations';
import { keysPart } from '#keys';
import { linkedIdentitiesPart } from '#linked-identities';
import { membersPart } from '#members';
import { messagesPart } from '#messages';
import { mfaChallengesPart } from '#mfa-challenges';
import { oidcPart } from '#oidc';
import { operatorsPart } from '#operators';
import { passkeysPart } from '#passkeys';
import { passwordsPart } from '#passwords';
import { peoplePart } from '#people';
import { permissionsPart } from '#permissions';
import type { Part } from '#platform/part.ts';
import { proofsPart } from '#proofs';
import { recoveryCodesPart } from '#recovery-codes';
import { selfPart } from '#self';
import { sessionsPart } from '#sessions';
import { statusPart } from '#status';
import { webhooksPart } from '#webhooks';

/** The contributions of the parts, ordered so that no row refers to a row that is removed before it. */
export const PARTS: readonly Part[] = [
  webhooksPart,
  oidcPart,
  proofsPart,
  exchangePart,
  federationPart,
  mfaChallengesPart,
  attemptsPart,
  sessionsPart,
  accessTokensPart,
  invitationsPart,
  importsPart,
  membersPart,
  permissionsPart,
  applicationsPart,
  apisPart,
  messagesPart,
  billingPart,
  passkeysPart,
  factorsPart,
  recoveryCodesPart,
  devicesPart,
  passwordsPart,
  linkedIdentitiesPart,
  identifiersPart,
  peoplePart,
  figuresPart,
  operatorsPart,
  auditPart,
  eventsPart,
  domainsPart,
  environmentsPart,
  keysPart,
  selfPart,
  statusPart,
];

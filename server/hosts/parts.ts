import { part as accessTokens } from '#access-tokens';
import { part as account } from '#account';
import { part as actions } from '#actions';
import { part as admission } from '#admission';
import { part as apis } from '#apis';
import { part as applications } from '#applications';
import { part as attempts } from '#attempts';
import { part as audit } from '#audit';
import { part as backups } from '#backups';
import { part as billing } from '#billing';
import { part as branding } from '#branding';
import { part as connections } from '#connections';
import { part as consoleApi } from '#console-api';
import { part as defaultOrganizations } from '#default-organizations';
import { part as dev } from '#dev';
import { part as devices } from '#devices';
import { part as domains } from '#domains';
import { part as environments } from '#environments';
import { part as events } from '#events';
import { part as exchange } from '#exchange';
import { part as factors } from '#factors';
import { part as federation } from '#federation';
import { part as figures } from '#figures';
import { part as hosted } from '#hosted';
import { part as identifiers } from '#identifiers';
import { part as identityProviders } from '#identity-providers';
import { part as imports } from '#imports';
import { part as invitations } from '#invitations';
import { part as keys } from '#keys';
import { part as lastingTags } from '#lasting-tags';
import { part as lifecycle } from '#lifecycle';
import { part as linkedIdentities } from '#linked-identities';
import { part as logStreams } from '#log-streams';
import { part as members } from '#members';
import { part as messages } from '#messages';
import { part as mfa } from '#mfa';
import { part as mfaChallenges } from '#mfa-challenges';
import { part as notices } from '#notices';
import { part as oidc } from '#oidc';
import { part as operators } from '#operators';
import { part as organizations } from '#organizations';
import { part as passkeys } from '#passkeys';
import { part as passwords } from '#passwords';
import { part as people } from '#people';
import { part as permissions } from '#permissions';
import type { Part } from '#platform/part.ts';
import { part as proofs } from '#proofs';
import { part as recoveryCodes } from '#recovery-codes';
import { part as registrations } from '#registrations';
import { part as relations } from '#relations';
import { part as samlKeys } from '#saml-keys';
import { part as samlParticipants } from '#saml-participants';
import { part as samlProvider } from '#saml-provider';
import { part as scim } from '#scim';
import { part as self } from '#self';
import { part as sessions } from '#sessions';
import { part as setupLinks } from '#setup-links';
import { part as signIn } from '#sign-in';
import { part as singleLogout } from '#single-logout';
import { part as status } from '#status';
import { part as tenancy } from '#tenancy';
import { part as ways } from '#ways';
import { part as webhooks } from '#webhooks';

/** Every part. Their rows are removed in this order, so that no row refers to a row that is removed before it. */
export const PARTS: readonly Part[] = [
  webhooks,
  logStreams,
  oidc,
  samlProvider,
  samlParticipants,
  samlKeys,
  registrations,
  proofs,
  exchange,
  federation,
  mfaChallenges,
  attempts,
  sessions,
  accessTokens,
  setupLinks,
  invitations,
  relations,
  scim,
  singleLogout,
  connections,
  defaultOrganizations,
  branding,
  organizations,
  imports,
  members,
  permissions,
  applications,
  identityProviders,
  actions,
  apis,
  messages,
  billing,
  passkeys,
  factors,
  recoveryCodes,
  devices,
  passwords,
  linkedIdentities,
  identifiers,
  people,
  figures,
  operators,
  audit,
  events,
  domains,
  environments,
  lastingTags,
  keys,
  self,
  status,
  lifecycle,
  tenancy,
  notices,
  admission,
  signIn,
  ways,
  mfa,
  hosted,
  account,
  consoleApi,
  backups,
  dev,
];

export { type IssuerOfAccount, issuerOfProfiles, issuersOfProviders } from './account-issuers.ts';
export {
  createProvider,
  enabledProviders,
  type ProviderId,
  type UpstreamProvider,
  upstreamProvider,
} from './identity-providers.ts';
export { part } from './part.ts';

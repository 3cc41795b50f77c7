export {
  createProvider,
  enabledProviders,
  type ProviderId,
  type UpstreamProvider,
  upstreamProvider,
} from './identity-providers.ts';
export { part } from './part.ts';

export { challengeAnswer, orderCertificates, orderCertificatesTask } from './acme.ts';
export { addressesOf, authAddressOf, boundAddresses, boundHost } from './bound-addresses.ts';
export { secureContextFor } from './certificates.ts';
export { recheckDomains } from './domain-checks.ts';
export { domainBindingRoutes, domainRoutes } from './domains.admin.ts';
export {
  createProject,
  createWorkspace,
  findProject,
  isEmptyInstallation,
  type ProjectEnvironment,
  projectNames,
  projectOf,
  setDefaultProject,
  updateSettings,
  workspaceByRoutingKey,
} from './projects.ts';
export { settingsRoutes } from './settings.admin.ts';
export { type Branding, type Language, languages, Settings, SignInMethod, sessionLifetimes } from './settings.ts';

export { chooseDefaultOrganization, defaultOrganizationOf, defaultOrganizationsOf } from './default-organizations.ts';
export { part } from './part.ts';

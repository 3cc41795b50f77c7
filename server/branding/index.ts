export { type Brand, brandFrom, brandOf } from './brands.ts';
export { brandStyle, mailColours } from './colours.ts';
export {
  changeBranding,
  OrganizationBranding,
  OrganizationBrandingChanges,
  readBranding,
} from './organization-brandings.ts';
export { part } from './part.ts';

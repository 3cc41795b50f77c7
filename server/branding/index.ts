export { type Brand, brandFrom, brandOf } from './brands.ts';
export { brandStyle, contrast, mailColours } from './colours.ts';
export {
  changeBranding,
  NO_BRANDING,
  OrganizationBranding,
  OrganizationBrandingChanges,
  readBranding,
} from './organization-brandings.ts';
export { part } from './part.ts';

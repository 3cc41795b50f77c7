export { type Brand, brandOf, imageOrigins } from './brands.ts';
export { brandStyle, mailStyle, themeColours } from './colours.ts';
export { BrandingImages, changeImage, ImageRef, ImageUpload, readImages } from './images.ts';
export {
  changeBranding,
  OrganizationBranding,
  OrganizationBrandingChanges,
  readBranding,
} from './organization-brandings.ts';
export { part } from './part.ts';

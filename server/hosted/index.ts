export { assetRoutes } from './assets.page.ts';
export { codeField, passwordField } from './fields.ts';
export { mailedLinkRoutes } from './mailed-links.page.ts';
export { signInPreview } from './preview.ts';
export { signInRoutes } from './sign-in.page.ts';

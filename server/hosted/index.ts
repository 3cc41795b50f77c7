export { codeField, passwordField } from './fields.ts';
export { signInPreview } from './preview.ts';
export { routes } from './routes.ts';

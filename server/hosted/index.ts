export { codeField, passwordField } from './fields.ts';
export { part } from './part.ts';
export { signInPreview } from './preview.ts';

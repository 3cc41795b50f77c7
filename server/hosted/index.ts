export { codeField, passwordField, recoveryCodeList } from './fields.ts';
export { part } from './part.ts';
export { hostedPages, type PreviewWish, previewed, previewHostedPage, SAMPLE } from './preview.ts';

export { compileStyleSheet } from './compile.ts';
export { styleParts } from './parts.ts';

export type { TextId } from './language-en.ts';
export { formTargetOf, type Markup, type Page, renderPage, type Voice, voiceOf } from './layout.ts';
export type { Say } from './texts.ts';

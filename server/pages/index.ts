export { formTargetOf, type Markup, type Page, renderPage, type Voice, voiceOf } from './layout.ts';
export type { Say, TextId } from './texts.ts';

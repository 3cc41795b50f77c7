export { contrast } from './branding.ts';
export { formTargetOf, type Markup, type Page, type Place, renderPage, type Voice, voiceOf } from './layout.ts';
export type { Say, TextId } from './texts.ts';

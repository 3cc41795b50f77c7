export { type BrowserVisit, browserFlow, form, messageOfProject, StepFault } from './browser-flow.ts';
export { browserRoutes, pathOf } from './browser-routes.ts';
export { icon } from './icons.ts';
export type { TextId } from './language-en.ts';
export {
  type Frame,
  type Markup,
  type Page,
  type Preview,
  renderPage,
  type Voice,
  voiceOf,
} from './layout.ts';
export { plainIfAsked } from './plain.ts';
export type { Say } from './texts.ts';

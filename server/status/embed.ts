import { hash } from 'node:crypto';
import { raw } from 'hono/html';
import { html } from '#platform/html.ts';
import { directionOf } from '#platform/message-format.ts';
import { stateOfView } from './page-body.ts';
import { homeOf, icon } from './page-frame.ts';
import { headline, type View } from './view.ts';
import type { Voice } from './words.ts';

const STYLE = `:root { color-scheme: light dark; --operational: light-dark(#17804d, #46c588); --degraded_performance: light-dark(#8f5e00, #f0bd4f); --partial_outage: light-dark(#b04a0c, #ff9a57); --major_outage: light-dark(#c0291f, #ff7b72); --under_maintenance: light-dark(#3563c9, #84adff); }
body { margin: 0; background: light-dark(#ffffff, #171b22); font: 14px/1.4 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { margin: 0; font: inherit; } a { display: flex; align-items: center; gap: .5rem; padding: .4rem .5rem; color: light-dark(#14171c, #eef1f5); text-decoration: none; } a:hover { text-decoration: underline; } a:focus-visible { outline: 2px solid; outline-offset: -2px; }
svg { inline-size: 1.2rem; block-size: 1.2rem; flex: none; color: var(--state); }
${['operational', 'degraded_performance', 'partial_outage', 'major_outage', 'under_maintenance'].map((state) => `.${state} { --state: var(--${state}); }`).join(' ')}`;

/** Any page may show it in a frame; it has no script and no form, and its only link opens a page of its own. */
export const EMBED_HEADERS = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors *`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  vary: 'accept-language',
};

/** A page with the overall status in one line, which other sites show in a frame. */
export function embedPage(view: View, voice: Voice): string {
  const text = headline(view, voice);
  const state = stateOfView(view);
  return String(html`<!doctype html>
<html lang="${voice.language}" dir="${directionOf(voice.language)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${voice.say('title', { name: view.name })}</title><style>${raw(STYLE)}</style></head>
<body><main><h1><a class="${state}" href="${homeOf(view, voice)}" target="_blank" rel="noopener">${icon(state)}<span>${text}</span></a></h1></main></body>
</html>`);
}

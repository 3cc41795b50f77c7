import { html, raw } from 'hono/html';
import { standardVoice } from './view.ts';
import type { Maker } from './views.ts';

const COLOURS = { none: '#177245', minor: '#8a5a00', major: '#b4430e', critical: '#b3261e' } as const;
const WORDS = {
  none: 'operational',
  minor: 'degraded_performance',
  major: 'partial_outage',
  critical: 'major_outage',
} as const;
/** Approximate width of a character in the font, in pixels. */
const CHARACTER = 6.6;

/** An SVG badge of the overall status. */
export const badge: Maker = {
  key: 'badge',
  type: 'image/svg+xml; charset=utf-8',
  make: (view) => {
    const { severity } = view;
    const word = standardVoice(view).say(WORDS[severity]).toLowerCase();
    const left = 52;
    const right = Math.ceil(word.length * CHARACTER) + 16;
    const width = left + right;
    return String(
      html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="status: ${word}"><title>status: ${word}</title>${raw(
        `<clipPath id="r"><rect width="${width}" height="20" rx="4"/></clipPath><g clip-path="url(#r)"><path fill="#3b424d" d="M0 0h${left}v20H0z"/><path fill="${COLOURS[severity]}" d="M${left} 0h${right}v20H${left}z"/></g>`,
      )}<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle"><text x="${left / 2}" y="14">status</text><text x="${left + right / 2}" y="14" textLength="${right - 16}" lengthAdjust="spacingAndGlyphs">${word}</text></g></svg>`,
    );
  },
};

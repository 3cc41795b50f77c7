import { randomBytes } from 'node:crypto';
import { html, raw } from 'hono/html';
import { type Brand, brandOf, brandStyle, mailColours } from '#branding';
import { projectOf } from '#environments';
import { languageFor } from '#messages';
import type { Ctx, Scope } from '#platform/ctx.ts';
import type { OrganizationId } from '#platform/ids.ts';
import type { Language } from '#settings';
import { FRAME_STYLE } from './frame-style.ts';
import { STYLE } from './style.ts';
import { type Say, speak } from './texts.ts';

/** Markup that is safe to send, produced by the escaping `html` tag. */
export type Markup = ReturnType<typeof html>;

/** The project that a page speaks for, its language, and the brand that it shows. */
export type Voice = { say: Say; language: Language; project: string; brand: Brand };

/** Where a page is shown: in a project and perhaps in an organization, or on a host whose project is not known. */
type Place = Pick<Ctx, 'system'> & {
  in: { scope: Scope; organizationId: OrganizationId | null } | null;
  languages: string | null;
};

/** Of a host whose project is not known. */
const LATCHKEY: Brand = {
  ...{ name: 'Latchkey', besideLogo: false, logoUrl: null, accentColor: null, backgroundColor: null, radius: null },
  ...{ text: null, links: {} },
};

/**
 * Chooses the language and brand of a page. `languages` is an `Accept-Language` header, or `ui_locales` with commas.
 */
export async function voiceOf({ system, in: place, languages }: Place): Promise<Voice> {
  if (place === null) {
    const language = languageFor(languages, 'en');
    return { say: speak(language), language, project: 'Latchkey', brand: LATCHKEY };
  }
  const { settings, projectName } = await projectOf(system, place.scope);
  const language = languageFor(languages, settings.defaultLanguage, settings.locales);
  const brand = await brandOf(system, place.scope, place.organizationId);
  return { say: speak(language), language, project: projectName, brand };
}

/** The frame of related pages: navigation, and `end`, the user and the way to sign out. */
export type Frame = { label: string; links: readonly { href: string; text: string; current: boolean }[]; end: Markup };

export type Page = {
  title: string;
  body: Markup;
  /** Shows the page in a frame: wide, with navigation. The body then makes its own cards. */
  frame?: Frame;
  /**
   * True if the response to a form may redirect to an application, and from there anywhere: browsers apply
   * `form-action` to every redirect on the way.
   */
  leaves?: boolean;
  /** The page uses the script, for passkeys or a proof of work. */
  script?: boolean;
  /** The origin that may show the page in a frame; none by default. */
  framedBy?: string | null;
};

/** A whole document and its security headers. */
export type Rendered = { document: string; headers: Record<string, string> };

const SCRIPT = '/assets/sign-in.js';

/** Renders a page in the common layout: the brand, no inline script, no framing by others (OA-6). */
export function renderPage(voice: Voice, page: Page): Rendered {
  const { title, body, frame, leaves = false, script = false, framedBy = null } = page;
  const nonce = randomBytes(16).toString('base64');
  const { brand, language } = voice;
  const links = Object.entries(brand.links).map(([label, href]) => html`<a href="${href}">${label}</a>`);
  const head = html`<div class="brand">${logo(brand)}</div>`;
  const document = html`<!doctype html>
<html lang="${language}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${brand.name}</title>
<link rel="icon" href="${favicon(brand)}">
<style nonce="${nonce}">${raw(STYLE)}${frame ? raw(FRAME_STYLE) : ''}${raw(brandStyle(brand))}</style>
${script ? html`<script src="${SCRIPT}" defer></script>` : ''}
</head>
<body>
${
  frame
    ? framed(head, { title, body, frame })
    : html`<main>${head}
<section class="card" aria-labelledby="title">
<h1 id="title">${title}</h1>
${body}
</section>`
}
${brand.text ? html`<p class="note">${brand.text}</p>` : ''}
${links.length > 0 ? html`<footer>${links}</footer>` : ''}
</main>
</body>
</html>`;
  return { document: String(document), headers: guards(nonce, { leaves, framedBy, logoUrl: brand.logoUrl }) };
}

function logo({ name, logoUrl, besideLogo }: Brand): Markup {
  if (logoUrl === null)
    return html`<span class="monogram" aria-hidden="true">${[...name][0] ?? ''}</span><span>${name}</span>`;
  return besideLogo
    ? html`<img src="${logoUrl}" alt=""><span>${name}</span>`
    : html`<img src="${logoUrl}" alt="${name}">`;
}

/** The logo, or the first letter of the name on the accent colour. */
function favicon(brand: Brand): string {
  if (brand.logoUrl !== null) return brand.logoUrl;
  const { accent, ink } = mailColours(brand);
  const letter = html`${[...brand.name][0] ?? ''}`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${accent}"/><text x="16" y="23" font-family="sans-serif" font-size="20" font-weight="700" text-anchor="middle" fill="${ink}">${letter}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg.toWellFormed())}`;
}

function framed(head: Markup, { title, body, frame }: { title: string; body: Markup; frame: Frame }): Markup {
  const links = frame.links.map(
    ({ href, text, current }) => html`<a href="${href}"${current ? html` aria-current="page"` : ''}>${text}</a>`,
  );
  return html`<header class="bar"><div>${head}${frame.end}</div></header>
<main class="framed">
<nav aria-label="${frame.label}">${links}</nav>
<div class="content">
<h1 id="title">${title}</h1>
${body}
</div>`;
}

type Allowed = { leaves: boolean; framedBy: string | null; logoUrl: string | null };

function guards(nonce: string, { leaves, framedBy, logoUrl }: Allowed) {
  const images = logoUrl === null ? '' : ` ${new URL(logoUrl).origin}`;
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    "script-src 'self'",
    "connect-src 'self'",
    `img-src 'self' data:${images}`,
    ...(leaves ? [] : ["form-action 'self'"]),
    "base-uri 'none'",
    `frame-ancestors ${framedBy ?? "'none'"}`,
  ];
  return {
    'content-security-policy': policy.join('; '),
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    // It can name no origin; browsers that know `frame-ancestors` ignore it.
    ...(framedBy === null && { 'x-frame-options': 'DENY' }),
  };
}

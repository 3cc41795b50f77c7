import { randomBytes } from 'node:crypto';
import { html, raw } from 'hono/html';
import { type Brand, brandOf, brandStyle, imageOrigins, mailStyle } from '#branding';
import { projectOf } from '#environments';
import { languageFor } from '#messages';
import type { Ctx, Scope } from '#platform/ctx.ts';
import type { OrganizationId } from '#platform/ids.ts';
import { directionOf } from '#platform/message-format.ts';
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
  ...{ name: 'Latchkey', besideLogo: false, logoUrl: null, darkLogoUrl: null, faviconUrl: null },
  ...{ accentColor: null, backgroundColor: null, radius: null, text: null, links: {}, sheet: '' },
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
  preview?: Preview;
};

/** A page with sample data, for a frame of our own that runs no scripts. */
export type Preview = {
  /** Shows the page in this theme, whatever the browser prefers. */
  theme: 'light' | 'dark';
};

/** A whole document and its security headers. */
export type Rendered = { document: string; headers: Record<string, string> };

const SCRIPT = '/assets/sign-in.js';

/** Renders a page in the common layout: the brand, no inline script, no framing by others (OA-6). */
export function renderPage(voice: Voice, page: Page): Rendered {
  const { title, body, frame, leaves = false, script = false, preview } = page;
  const framedBy = preview ? "'self'" : (page.framedBy ?? null);
  const theme = preview?.theme;
  const nonce = randomBytes(16).toString('base64');
  const { language } = voice;
  const brand = theme === undefined ? voice.brand : brandIn(theme, voice.brand);
  const scheme = theme === undefined ? '' : `:root{color-scheme:${theme};--schemes:${theme}}`;
  const base = `@layer base{${STYLE}${frame ? FRAME_STYLE : ''}}`;
  const custom = brand.sheet === '' ? '' : `@layer custom{${brand.sheet}}`;
  const links = Object.entries(brand.links).map(([label, href]) => html`<a href="${href}">${label}</a>`);
  const head = html`<div class="brand">${logo(brand)}</div>`;
  const document = html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${brand.name}</title>
<link rel="icon" href="${favicon(brand)}">
<style nonce="${nonce}">${raw(base)}${raw(custom)}${raw(brandStyle(brand))}${raw(scheme)}</style>
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
  return {
    document: String(document),
    headers: guards(nonce, { leaves, framedBy, brand, isPreview: preview !== undefined }),
  };
}

/** A brand with the logo of one theme alone. */
function brandIn(theme: 'light' | 'dark', brand: Brand): Brand {
  return {
    ...brand,
    logoUrl: theme === 'dark' ? (brand.darkLogoUrl ?? brand.logoUrl) : brand.logoUrl,
    darkLogoUrl: null,
  };
}

function logo({ name, logoUrl, darkLogoUrl, besideLogo }: Brand): Markup {
  if (logoUrl === null)
    return html`<span class="monogram" aria-hidden="true">${[...name][0] ?? ''}</span><span>${name}</span>`;
  const image = html`<img src="${logoUrl}" alt="${besideLogo ? '' : name}">`;
  const themed =
    darkLogoUrl === null
      ? image
      : html`<picture><source srcset="${darkLogoUrl}" media="(prefers-color-scheme: dark)">${image}</picture>`;
  return besideLogo ? html`${themed}<span>${name}</span>` : themed;
}

/** The icon, or the first letter of the name on the accent colour. */
function favicon(brand: Brand): string {
  if (brand.faviconUrl !== null) return brand.faviconUrl;
  const { accent, ink } = mailStyle(brand);
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

type Allowed = { leaves: boolean; framedBy: string | null; brand: Brand; isPreview: boolean };

function guards(nonce: string, { leaves, framedBy, brand, isPreview }: Allowed) {
  const images = imageOrigins(brand)
    .map((origin) => ` ${origin}`)
    .join('');
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    "script-src 'self'",
    "connect-src 'self'",
    `img-src 'self' data:${images}`,
    ...(leaves ? [] : ["form-action 'self'"]),
    "base-uri 'none'",
    `frame-ancestors ${framedBy ?? "'none'"}`,
    ...(isPreview ? ['sandbox'] : []),
  ];
  return {
    'content-security-policy': policy.join('; '),
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    // It can name no origin; browsers that know `frame-ancestors` ignore it.
    ...(framedBy === null && { 'x-frame-options': 'DENY' }),
    ...(isPreview && { 'x-frame-options': 'SAMEORIGIN' }),
  };
}

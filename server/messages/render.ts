import { html, raw } from 'hono/html';
import { type Brand, mailStyle } from '#branding';
import { directionOf, formatMessage } from '#platform/message-format.ts';
import type { Language } from '#settings';
import { arabic } from './language-ar.ts';
import { german } from './language-de.ts';
import { english } from './language-en.ts';
import { spanish } from './language-es.ts';
import { french } from './language-fr.ts';
import { japanese } from './language-ja.ts';
import { chinese } from './language-zh.ts';
import { type TemplateId, type TemplateText, templates, variablesOf } from './templates.ts';

/** The built-in texts. */
export const builtInTexts: Readonly<Record<Language, Readonly<Record<TemplateId, TemplateText>>>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  ja: japanese,
  zh: chinese,
  ar: arabic,
};

/** The values of a template's variables. */
export type Variables = Readonly<Record<string, string | number>>;

/** A rendered message. */
export type Rendered = { subject: string; text: string; html: string | null; unsubscribe?: string };

type Look = { template: TemplateId; language: Language; brand: Brand };

/** Renders a template's text. */
export function render({ template, language, brand }: Look, text: TemplateText, variables: Variables): Rendered {
  const fill = (message: string) => format(message, language, variables);
  const subject = fill(text.subject);
  const paragraphs = text.body.split(/\n{2,}/);
  const plain = paragraphs.map((paragraph) =>
    paragraph.trim() === '{code}' ? `    ${fill('{code}')}` : fill(paragraph),
  );
  if (templates[template].channel === 'sms') return { subject, text: plain.join('\n'), html: null };
  const blocks = paragraphs.map((paragraph) => block(paragraph.trim(), { action: text.action, brand }, fill));
  const document = page({ language, subject, brand }, blocks);
  return { subject, text: `${plain.join('\n\n')}\n`, html: String(document) };
}

/** Mail programs make links of addresses, and fill in codes. */
const READ_BY_PROGRAMS = ['link', 'code', 'url', 'unsubscribe'];

function format(message: string, language: Language, variables: Variables): string {
  return formatMessage(message, language, variables, READ_BY_PROGRAMS);
}

type Markup = ReturnType<typeof html>;

type Button = { action: string; brand: Brand };

function block(paragraph: string, { action, brand }: Button, fill: (message: string) => string): Markup {
  if (paragraph === '{code}')
    return html`<p style="font:600 28px/1.3 ui-monospace,Menlo,Consolas,monospace;letter-spacing:4px;margin:24px 0">${fill(paragraph)}</p>`;
  if (paragraph === '{link}') {
    const { accent, ink, edge } = mailStyle(brand);
    return html`<p style="margin:24px 0"><a href="${fill(paragraph)}" style="display:inline-block;padding:12px 22px;border-radius:8px;border:1px solid ${edge};background:${accent};color:${ink};text-decoration:none;font-weight:600">${action || fill(paragraph)}</a></p>`;
  }
  return html`<p style="margin:16px 0">${raw(escaped(fill(paragraph)).replaceAll('\n', '<br>'))}</p>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The logo on top of a mail, and the name of an organization that has no logo. */
function head({ logoUrl, name, besideLogo }: Brand): Markup | '' {
  if (logoUrl === null && !besideLogo) return '';
  const alt = besideLogo ? '' : name;
  const image =
    logoUrl === null
      ? ''
      : html`<img src="${logoUrl}" alt="${alt}" height="40" style="max-width:192px;vertical-align:middle">`;
  return html`<p style="margin:16px 0;font-weight:600">${image}${besideLogo ? html` ${name}` : ''}</p>`;
}

type Frame = { language: Language; subject: string; brand: Brand };

/** Mail programs support tables and inline styles, and little else. */
function page({ language, subject, brand }: Frame, blocks: readonly Markup[]): Markup {
  return html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${subject}</title></head>
<body style="margin:0;padding:24px 12px;background:#f6f7f9;color:#171a20"><table role="presentation" width="100%" cellspacing="0" cellpadding="0"><tr><td align="center">
<table role="presentation" width="100%" style="max-width:560px;background:#ffffff;border-radius:12px" cellspacing="0" cellpadding="0"><tr><td dir="${directionOf(language)}" style="padding:16px 32px 24px;font:16px/1.55 ${mailStyle(brand).family}">${head(brand)}${blocks}</td></tr></table>
</td></tr></table></body></html>`;
}

/** A mail of plain text, with its addresses as links. */
export function htmlOf(subject: string, text: string): string {
  const paragraphs = text
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => escaped(paragraph).replaceAll('\n', '<br>'));
  const linked = paragraphs.map((paragraph) =>
    paragraph.replace(/https:\/\/[^\s<>"']+/g, (address) => `<a href="${address}">${address}</a>`),
  );
  const blocks = linked.map((paragraph) => html`<p style="margin:16px 0">${raw(paragraph)}</p>`);
  return String(html`<!doctype html>
<html><head><meta charset="utf-8"><title>${subject}</title></head><body style="font:16px/1.55 -apple-system,'Segoe UI',Roboto,sans-serif">${blocks}</body></html>`);
}

/** The faults of a template's text; empty when it can be used. */
export function faultsOf(template: TemplateId, language: Language, text: TemplateText): string[] {
  const known = variablesOf(template);
  const samples = sampleVariables(template);
  const faults: string[] = [];
  for (const [field, message] of Object.entries(text)) {
    try {
      format(message, language, samples);
    } catch (error) {
      const reason = error instanceof Error ? error.message.split('\n')[0] : 'not valid';
      faults.push(`${field}: ${reason}. Known variables: ${known.map((name) => `{${name}}`).join(', ')}`);
    }
  }
  for (const name of templates[template].required)
    if (!text.body.includes(`{${name}`)) faults.push(`body: must contain {${name}}`);
  return [...faults, ...secretsOutOfPlace(text)];
}

/** Matches a placeholder of a link or code that opens an account, however it is written. */
const SECRET = /\{\s*(link|code)\b[^}]*\}?/g;
/** A placeholder must stand alone between spaces: inside a longer word it could become part of a foreign address. */
const ALONE = { link: /^\{link\}$/, code: /^\{code\}[.,;:!?)。，：！？）]?$/ };

/**
 * One-time links and codes belong to the reader of the message: reports placeholders whose surrounding text could send
 * them elsewhere.
 */
function secretsOutOfPlace({ subject, body, action }: TemplateText): string[] {
  const faults: string[] = [];
  for (const [field, message] of Object.entries({ subject, body, action }))
    for (const { 1: name, index, 0: found } of message.matchAll(SECRET)) {
      const kind = name === 'link' ? 'link' : 'code';
      const word = wordAround(message, index, found.length);
      const misplaced = kind === 'link' ? field !== 'body' : field === 'action';
      if (misplaced) faults.push(`${field}: {${kind}} has no place here`);
      else if (!ALONE[kind].test(word)) faults.push(`${field}: {${kind}} stands alone, between spaces`);
    }
  return faults;
}

/** The word around a position. Only spaces that every mail program treats as such separate words. */
function wordAround(text: string, index: number, length: number): string {
  const before = /[^ \n\r\t]*$/.exec(text.slice(0, index))?.[0] ?? '';
  const after = /^[^ \n\r\t]*/.exec(text.slice(index + length))?.[0] ?? '';
  return before + text.slice(index, index + length) + after;
}

const SAMPLES: Variables = {
  project: 'Shop',
  code: '12345678',
  link: 'https://auth.example.com/link/example',
  minutes: 15,
  days: 7,
  date: '2026-01-08',
  device: 'Firefox on Linux',
  ip: '203.0.113.7',
  time: '2026-01-31 12:00 UTC',
  application: 'Order desk',
  organization: 'Acme',
  change: 'password',
  count: 7,
  name: 'example.com',
  url: 'https://example.com/hooks',
  reason: 'failing',
  what: 'project',
  workspace: 'Acme',
  person: 'Ada Lovelace',
  phase: 'investigating',
  title: 'Sign-in is slow',
  body: 'We are looking into it.',
  components: 'Sign-in',
  overall: 'degraded',
  environment: 'production',
  unsubscribe: 'https://status.example.com/status/unsubscribe?token=example',
};

/** Example values of a template's variables, for previews. */
export function sampleVariables(template: TemplateId): Variables {
  const known = variablesOf(template);
  return Object.fromEntries(Object.entries(SAMPLES).filter(([name]) => known.includes(name)));
}

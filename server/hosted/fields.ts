import { html } from 'hono/html';
import type { Markup, Say, TextId } from '#pages';
import { BASE, type Flow } from './flow.ts';

const FAULTS: Readonly<Record<string, TextId>> = {
  ACCOUNT_THROTTLED: 'fault.later',
  ADDON_REQUIRED: 'fault.noText',
  ALREADY_EXISTS: 'fault.exists',
  INVALID_CODE: 'fault.code',
  INVALID_CREDENTIALS: 'fault.credentials',
  INVALID_TOKEN: 'fault.code',
  MEMBER_BLOCKED: 'fault.blocked',
  MEMBERSHIP_REQUIRED: 'fault.membership',
  METHOD_DISABLED: 'fault.method',
  PASSKEY: 'fault.passkey',
  PLAN_LIMIT_EXCEEDED: 'fault.noText',
  RATE_LIMIT_EXCEEDED: 'fault.later',
  REGISTRATION_CLOSED: 'fault.closed',
  SERVICE_UNAVAILABLE: 'fault.unavailable',
  UPSTREAM: 'fault.upstream',
  WEAK_PASSWORD: 'fault.weak',
};

/** Says what was wrong with what was just sent; empty when nothing was. */
export function faultOf({ step: { fault }, voice: { say, project } }: Flow): Markup | '' {
  if (!fault) return '';
  const text = say(FAULTS[fault.code] ?? 'fault.invalid', { project, minutes: fault.minutes ?? 1 });
  return html`<p class="fault" role="alert" id="fault">${text}</p>`;
}

/** A form that posts to a page of this sign-in. */
export function form(flow: Flow, page: string, content: Markup): Markup {
  return html`<form method="post" action="${BASE}/${flow.interaction.uid}${page}">${content}</form>`;
}

/** {@link form} for what a project may ask a proof of work for; the script of the page solves its challenge. */
export function guardedForm(flow: Flow, page: string, content: Markup): Markup {
  if (flow.settings.proofOfWork === 'off') return form(flow, page, content);
  const challenge = `/v1/auth/challenge?clientId=${encodeURIComponent(flow.interaction.application.clientId)}`;
  return html`<form method="post" action="${pageAddress(flow, page)}" data-proof="${challenge}"><input type="hidden" name="proof"><p class="no-script fault">${flow.voice.say('proof.needsScript')}</p>${content}</form>`;
}

/** The address of a page of this sign-in. */
export function pageAddress({ interaction: { uid } }: Flow, page: string): string {
  return `${BASE}/${uid}${page}`;
}

export function identifierField(say: Say, value: string | undefined): Markup {
  return html`<label>${say('identifier.label')}<input name="identifier" value="${value ?? ''}" required maxlength="254" autocomplete="username webauthn" autocapitalize="none" spellcheck="false"${value ? '' : html` autofocus`}></label>`;
}

export function emailField(say: Say, value: string | undefined): Markup {
  const email = value?.includes('@') ? value : '';
  return html`<label>${say('email.label')}<input type="email" name="email" value="${email}" required maxlength="254" autocomplete="email" spellcheck="false"></label>`;
}

/** Password managers fill it, and pasting works (ASVS 6.2.7; PW-5). */
export function passwordField(label: string, kind: 'current' | 'new', minimum: number | null, hint = ''): Markup {
  const described = hint ? html` aria-describedby="password-hint"` : '';
  const shortest = minimum === null ? '' : html` minlength="${minimum}"`;
  return html`<label>${label}<input type="password" name="password" autocomplete="${kind}-password" required maxlength="1024"${shortest}${described}></label>${hint ? html`<span class="hint" id="password-hint">${hint}</span>` : ''}`;
}

export function codeField(say: Say, inputMode: 'numeric' | 'text'): Markup {
  return html`<label>${say('code.label')}<input class="code" name="code" required autofocus autocomplete="one-time-code" inputmode="${inputMode}" maxlength="20" spellcheck="false"></label>`;
}

import { html } from 'hono/html';
import { form, type Markup, type Say } from '#pages';
import type { Flow } from './flow.ts';

/** {@link form} for actions that may require a proof of work; the page's script solves the challenge. */
export function guardedForm(flow: Flow, page: string, content: Markup): Markup {
  if (flow.settings.proofOfWork === 'off') return form(flow, page, content);
  const challenge = `/v1/auth/challenge?clientId=${encodeURIComponent(flow.interaction.application.clientId)}`;
  return html`<form method="post" action="${flow.place.base}${page}" data-proof="${challenge}"><input type="hidden" name="proof"><p class="no-script fault">${flow.voice.say('proof.needsScript')}</p>${content}</form>`;
}

/** Shown by the script when the browser used no passkey. */
export function passkeyFault(flow: Flow): Markup {
  return html`<p class="fault" role="alert" hidden>${flow.voice.say('fault.unusedPasskey')}</p>`;
}

export function identifierField(say: Say, value: string | undefined): Markup {
  return html`<label>${say('identifier.label')}<input name="identifier" value="${value ?? ''}" required maxlength="254" autocomplete="username webauthn" autocapitalize="none" spellcheck="false"${value ? '' : html` autofocus`}></label>`;
}

export function emailField(say: Say, value: string | undefined): Markup {
  const email = value?.includes('@') ? value : '';
  return html`<label>${say('email.label')}<input type="email" name="email" value="${email}" required maxlength="254" autocomplete="email" spellcheck="false"></label>`;
}

type PasswordField = {
  label: string;
  kind: 'current' | 'new';
  name?: string;
  /** The least number of characters of a new password, shown below. */
  length?: number;
};

/** Password managers can fill it, and pasting works (ASVS 6.2.7; PW-5). */
export function passwordField(say: Say, { label, kind, name = 'password', length }: PasswordField): Markup {
  const limits = length === undefined ? '' : html` minlength="${length}" aria-describedby="${name}-hint"`;
  const hint =
    length === undefined ? '' : html`<span class="hint" id="${name}-hint">${say('password.hint', { length })}</span>`;
  return html`<div class="field"><label for="${name}">${label}</label><input type="password" id="${name}" name="${name}" autocomplete="${kind}-password" required maxlength="1024"${limits}>${hint}</div>`;
}

export function codeField(say: Say, inputMode: 'numeric' | 'text'): Markup {
  return html`<label>${say('code.label')}<input class="code" name="code" required autofocus autocomplete="one-time-code" inputmode="${inputMode}" maxlength="20" spellcheck="false"></label>`;
}

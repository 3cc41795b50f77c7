import { html } from 'hono/html';
import { form, icon, type Markup, type Say, type Voice } from '#pages';
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

export function emailAddressField(say: Say, { name, value }: { name: string; value: string | undefined }): Markup {
  const email = value?.includes('@') ? value : '';
  return html`<label>${say('email.label')}<input type="email" name="${name}" value="${email}" required maxlength="254" autocomplete="email" spellcheck="false"></label>`;
}

type PasswordField = {
  label: string;
  kind: 'current' | 'new';
  name?: string;
  /** The least number of characters of a new password, shown below. */
  length?: number;
  /** The field has the focus when the page opens. */
  focus?: boolean;
};

/**
 * Password managers can fill it, pasting works, and it can be shown (ASVS 6.2.6, 6.2.7; PW-5). What shows it is a checkbox
 * without a name, because the first button of a form is the one that submits it.
 */
export function passwordField(say: Say, { label, kind, name = 'password', length, focus }: PasswordField): Markup {
  const limits = length === undefined ? '' : html` minlength="${length}" aria-describedby="${name}-hint"`;
  const hint =
    length === undefined ? '' : html`<span class="hint" id="${name}-hint">${say('password.hint', { length })}</span>`;
  return html`<div class="field"><label for="${name}">${label}</label><input type="password" id="${name}" name="${name}" autocomplete="${kind}-password" required maxlength="1024"${limits}${focus ? html` autofocus` : ''}><label class="reveal needs-script"><input type="checkbox" class="visually-hidden" data-reveals="${name}" aria-label="${say('password.show')}">${icon('eye')}</label>${hint}</div>`;
}

/** Recovery codes to copy, download and print; downloading needs no JavaScript. */
export function recoveryCodeList({ say, project }: Voice, codes: readonly string[]): Markup {
  const title = say('mfa.recoveryFor', { project });
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent([title, '', ...codes, ''].join('\r\n').toWellFormed())}`;
  return html`<ul class="codes" id="codes" dir="ltr">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul><div class="keep"><button type="button" class="second needs-script" data-copies="codes" data-done="${say('mfa.recoveryCopied')}">${say('mfa.recoveryCopy')}</button><a class="button second" download="recovery-codes.txt" href="${file}">${say('mfa.recoveryDownload')}</a><button type="button" class="second needs-script" data-prints>${say('mfa.recoveryPrint')}</button><span role="status" class="visually-hidden"></span></div>`;
}

export function codeField(say: Say, inputMode: 'numeric' | 'text'): Markup {
  return html`<label>${say('code.label')}<input class="code" name="code" required autofocus autocomplete="one-time-code" inputmode="${inputMode}" maxlength="20" spellcheck="false"></label>`;
}

import { html } from 'hono/html';
import type { Markup, Page, Voice } from '#pages';

/** The form that the library rendered: where it is sent, and its secret against forgery. */
type Form = { action: string; secret: string };

type Failure = { dead: boolean; code: string; description: string; more: Markup | ''; correlationId: string };

/** The pages of devices, logout and errors; previews show them, too. */
export const providerPages = {
  deviceEntry: ({ say }: Voice, { action, secret, error }: Form & { error: string | undefined }): Page => ({
    title: say('device.title'),
    body: html`<p class="lead">${say('device.intro')}</p>${error === undefined ? '' : html`<p class="fault" role="alert">${say(error === 'AbortedError' ? 'device.denied' : 'device.wrong')}</p>`}
<form method="post" action="${action}">${hiddenFields({ xsrf: secret })}<label>${say('device.label')}<input class="code" name="user_code" required autofocus autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="20"></label><button>${say('action.continue')}</button></form>`,
  }),
  deviceConfirmed: (
    { say }: Voice,
    { action, secret, userCode, application }: Form & { userCode: string; application: string },
  ): Page => ({
    title: say('device.title'),
    body: html`<p class="lead">${application}</p><p>${say('device.confirm')}</p><strong class="bigcode">${userCode}</strong><p>${say('device.warning')}</p>
<form method="post" action="${action}">${hiddenFields({ xsrf: secret, user_code: userCode, confirm: 'yes' })}<button>${say('device.yes')}</button><button class="second" name="abort" value="yes">${say('device.abort')}</button></form>`,
  }),
  deviceDone: ({ say }: Voice): Page => ({
    title: say('device.doneTitle'),
    body: html`<p class="done">${say('device.done')}</p>`,
  }),
  logoutQuestion: ({ say, project }: Voice, { action, secret }: Form): Page => ({
    title: say('logout.title'),
    body: html`<p class="lead">${say('logout.question', { project })}</p>
<form method="post" action="${action}">${hiddenFields({ xsrf: secret })}<button name="logout" value="yes">${say('logout.title')}</button><button class="second">${say('logout.no')}</button></form>`,
  }),
  loggedOut: ({ say }: Voice): Page => ({
    title: say('logout.title'),
    body: html`<p class="done">${say('logout.done')}</p>`,
  }),
  failure: ({ say }: Voice, { dead, code, description, more, correlationId }: Failure): Page => ({
    title: say(dead ? 'error.deadTitle' : 'error.title'),
    body: html`<p>${say(dead ? 'error.dead' : 'error.intro')}</p><p class="hint" dir="auto"><code>${code}</code> ${description}</p>${more}
<p class="hint">${say('error.help')} <code>${correlationId}</code></p>`,
  }),
};

function hiddenFields(fields: Record<string, string>) {
  return Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

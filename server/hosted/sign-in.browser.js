// Runs in the browser: forms with `data-passkey` ask for a passkey before they are sent, those with `data-new-passkey` make one,
// those with `data-proof` solve a challenge, and one with `data-at-once` is sent. Fields offer passkeys, passwords can be shown,
// and recovery codes copied and printed.
document.documentElement.classList.add('scripted');
document.querySelector('form[data-at-once]')?.requestSubmit();

const fromBase64Url = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
const toBase64Url = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** WebAuthn Level 3 §5.1.10.3, for browsers that do not read JSON themselves. */
function optionsOf({ challenge, allowCredentials = [], ...options }) {
  return {
    ...options,
    challenge: fromBase64Url(challenge),
    allowCredentials: allowCredentials.map((credential) => ({ ...credential, id: fromBase64Url(credential.id) })),
  };
}

function jsonOf({ id, rawId, type, authenticatorAttachment, response, ...credential }) {
  return {
    id,
    rawId: toBase64Url(rawId),
    type,
    authenticatorAttachment: authenticatorAttachment ?? undefined,
    clientExtensionResults: credential.getClientExtensionResults?.() ?? {},
    response: {
      authenticatorData: toBase64Url(response.authenticatorData),
      clientDataJSON: toBase64Url(response.clientDataJSON),
      signature: toBase64Url(response.signature),
      userHandle: response.userHandle ? toBase64Url(response.userHandle) : undefined,
    },
  };
}

/** WebAuthn Level 3 §5.1.10.1, for browsers that do not read JSON themselves. */
function creationOf({ challenge, user, excludeCredentials = [], ...options }) {
  return {
    ...options,
    challenge: fromBase64Url(challenge),
    user: { ...user, id: fromBase64Url(user.id) },
    excludeCredentials: excludeCredentials.map((credential) => ({ ...credential, id: fromBase64Url(credential.id) })),
  };
}

function madeJsonOf({ id, rawId, type, authenticatorAttachment, response, ...credential }) {
  return {
    id,
    rawId: toBase64Url(rawId),
    type,
    authenticatorAttachment: authenticatorAttachment ?? undefined,
    clientExtensionResults: credential.getClientExtensionResults?.() ?? {},
    response: {
      clientDataJSON: toBase64Url(response.clientDataJSON),
      attestationObject: toBase64Url(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  };
}

/** The passkeys that the name field offers, until one is asked for by a button. */
let inField = null;

/** @param request what else to ask the browser for */
async function ask(form, request = {}) {
  const { passkey, newPasskey } = form.dataset;
  const answer = await fetch(passkey ?? newPasskey, { headers: { accept: 'application/json' } });
  if (!answer.ok) throw new Error('no options');
  const { flowId, options } = await answer.json();
  const response = newPasskey
    ? madeJsonOf(await navigator.credentials.create({ publicKey: creationOf(options) }))
    : jsonOf(await navigator.credentials.get({ publicKey: optionsOf(options), ...request }));
  form.elements.namedItem('flowId').value = flowId;
  form.elements.namedItem('response').value = JSON.stringify(response);
  form.submit();
}

for (const form of document.querySelectorAll('form[data-passkey], form[data-new-passkey]')) {
  if (!globalThis.PublicKeyCredential) {
    form.remove();
    continue;
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const button = form.querySelector('button');
    button.disabled = true;
    const fault = form.querySelector('.fault');
    if (fault) fault.hidden = true;
    inField?.abort();
    ask(form).catch(() => {
      button.disabled = false;
      if (fault) fault.hidden = false;
    });
  });
}

const OFFERS = 5;

/** Offers passkeys in the list of the name field (WebAuthn Level 3 §5.1.4), anew before the server's challenge ends. */
async function offerInField(form) {
  if (!(await globalThis.PublicKeyCredential?.isConditionalMediationAvailable?.())) return;
  inField = new AbortController();
  for (let offer = 0; offer < OFFERS && !inField.signal.aborted; offer += 1) {
    const signal = AbortSignal.any([inField.signal, AbortSignal.timeout(240_000)]);
    try {
      // biome-ignore lint/performance/noAwaitInLoops: one offer after the other
      await ask(form, { mediation: 'conditional', signal });
      return;
    } catch (error) {
      if (error?.name !== 'TimeoutError') return;
    }
  }
}
const offering = document.querySelector('form[data-passkey]');
if (offering && document.querySelector('input[autocomplete~=webauthn]')) offerInField(offering).catch(() => {});

// Tells the pages after the sign-in whether this device can make a passkey.
globalThis.PublicKeyCredential?.isUserVerifyingPlatformAuthenticatorAvailable?.().then(
  (can) => {
    const [prefix, secure] = location.protocol === 'https:' ? ['__Host-', '; Secure'] : ['', ''];
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in many browsers
    if (can) document.cookie = `${prefix}latchkey-makes-passkeys=1; Path=/; SameSite=Lax${secure}`;
  },
  () => {},
);

for (const button of document.querySelectorAll('button[data-copies]')) {
  button.addEventListener('click', () => {
    const text = document.getElementById(button.dataset.copies)?.innerText ?? '';
    navigator.clipboard?.writeText(text).then(
      () => {
        button.textContent = button.dataset.done;
        button.parentElement.querySelector('[role=status]').textContent = button.dataset.done;
      },
      () => {},
    );
  });
}
for (const button of document.querySelectorAll('button[data-prints]')) button.addEventListener('click', () => print());

// What was typed as the name is offered where an address is needed.
for (const details of document.querySelectorAll('details')) {
  details.addEventListener('toggle', () => {
    const address = details.querySelector('input[type=email]');
    const typed = document.querySelector('input[name=identifier]')?.value ?? '';
    if (details.open && address && address.value === '' && typed.includes('@')) address.value = typed;
  });
}

// It goes along with links to other pages, in the fragment, which no server sees.
for (const link of document.querySelectorAll('a[data-carry]')) {
  link.addEventListener('click', () => {
    const typed = document.querySelector('input[name=identifier], input[name=email]')?.value ?? '';
    if (typed !== '') link.hash = encodeURIComponent(typed);
  });
}
const carried = document.querySelector('input[name=identifier], input[name=email]');
if (carried && carried.value === '' && location.hash.length > 1) {
  try {
    carried.value = decodeURIComponent(location.hash.slice(1, 1_000));
  } catch {
    // No text that a link of these pages has carried.
  }
}

for (const box of document.querySelectorAll('input[data-reveals]')) {
  box.addEventListener('change', () => {
    document.getElementById(box.dataset.reveals).type = box.checked ? 'text' : 'password';
  });
}

const hexOf = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The number whose digest with the salt is the challenge, as ALTCHA sets it. */
async function solve({ challenge, salt, algorithm, maxnumber }) {
  const encoder = new TextEncoder();
  for (let number = 0; number <= maxnumber; number += 1) {
    // biome-ignore lint/performance/noAwaitInLoops: work that takes its time is the point
    if (hexOf(await crypto.subtle.digest(algorithm, encoder.encode(salt + number))) === challenge) return number;
  }
  throw new Error('no solution');
}

async function prove(form) {
  const answer = await fetch(form.dataset.proof, { headers: { accept: 'application/json' } });
  if (!answer.ok) throw new Error('no challenge');
  const { algorithm, challenge, salt, signature, maxnumber } = await answer.json();
  const number = await solve({ challenge, salt, algorithm, maxnumber });
  form.elements.namedItem('proof').value = btoa(JSON.stringify({ algorithm, challenge, salt, signature, number }));
}

for (const form of document.querySelectorAll('form[data-proof]')) {
  form.addEventListener('submit', (event) => {
    if (form.elements.namedItem('proof').value) return;
    event.preventDefault();
    prove(form).then(
      // Sent anew with the button that was pressed: its value says what is asked for.
      () => form.requestSubmit(event.submitter),
      () => form.submit(),
    );
  });
}

// Runs in the browser: forms with `data-passkey` ask for a passkey before they are sent, those with `data-new-passkey` make one,
// those with `data-proof` solve a challenge, and one with `data-at-once` is sent.
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

async function ask(form) {
  const { passkey, newPasskey } = form.dataset;
  const answer = await fetch(passkey ?? newPasskey, { headers: { accept: 'application/json' } });
  if (!answer.ok) throw new Error('no options');
  const { flowId, options } = await answer.json();
  const response = newPasskey
    ? madeJsonOf(await navigator.credentials.create({ publicKey: creationOf(options) }))
    : jsonOf(await navigator.credentials.get({ publicKey: optionsOf(options) }));
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
    ask(form).catch(() => {
      button.disabled = false;
      if (fault) fault.hidden = false;
    });
  });
}

// What was typed as the name is offered where an address is needed.
for (const details of document.querySelectorAll('details')) {
  details.addEventListener('toggle', () => {
    const address = details.querySelector('input[type=email]');
    const typed = document.querySelector('input[name=identifier]')?.value ?? '';
    if (details.open && address && address.value === '' && typed.includes('@')) address.value = typed;
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

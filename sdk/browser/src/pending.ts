import { randomText } from './encoding.ts';

/** A person may take this long on the pages of Latchkey. */
const MAX_AGE_MS = 3_600_000;
/** What a response adds to the address of the page. */
const PARAMETERS = ['code', 'state', 'iss', 'error', 'error_description'];

/**
 * Keeps a sign-in that leaves the page until its response comes back: in `localStorage`, since a mailed link may open another tab.
 * @returns its `state`
 */
export function keepPending<T extends { at: number }>(clientId: string, transaction: T): string {
  removeOld();
  const state = randomText();
  localStorage.setItem(keyOf(clientId, state), JSON.stringify(transaction));
  return state;
}

/**
 * Takes the response in the address of this page, with what was kept for it. Both are gone afterwards.
 * @returns null if there is none for a sign-in. Its `transaction` is null if this browser began none, or it is over
 */
export function takeResponse(clientId: string) {
  const { searchParams: sent } = new URL(location.href);
  if (!sent.has('state') || (!sent.has('code') && !sent.has('error'))) return null;
  const key = keyOf(clientId, sent.get('state') ?? '');
  const kept = localStorage.getItem(key);
  localStorage.removeItem(key);
  const transaction = kept === null ? null : JSON.parse(kept);
  showAddress(transaction?.returnTo ?? withoutResponse());
  if (!transaction?.isLinking) return { sent, transaction };
  // The session that it belongs to may have to be taken up first, on pages of Latchkey.
  sessionStorage.setItem(linkKeyOf(clientId), sent.get('code') ?? '');
  return null;
}

/**
 * Takes the code of an account at a provider that this browser has been to, to link it.
 * @returns null if there is none, and an empty text if the provider returned an error
 */
export function takeLinkCode(clientId: string): string | null {
  const code = sessionStorage.getItem(linkKeyOf(clientId));
  sessionStorage.removeItem(linkKeyOf(clientId));
  return code;
}

/** @throws TypeError for another origin */
export function ownAddress(returnTo: string | undefined): string {
  const { origin, href } = new URL(returnTo ?? location.href, location.href);
  if (origin !== location.origin) throw new TypeError('returnTo must be of the origin of this page.');
  return href;
}

function linkKeyOf(clientId: string): string {
  return `latchkey ${clientId} link code`;
}

function keyOf(clientId: string, state: string): string {
  return `latchkey ${clientId} state ${state}`;
}

/** Removes the sign-ins that nobody finished. */
function removeOld(): void {
  for (const key of Object.keys(localStorage)) {
    if (!/^latchkey \S+ state /.test(key)) continue;
    const { at } = Object(JSON.parse(localStorage.getItem(key) ?? 'null'));
    if (!(Date.now() - Number(at) < MAX_AGE_MS)) localStorage.removeItem(key);
  }
}

function withoutResponse(): string {
  const url = new URL(location.href);
  for (const name of PARAMETERS) url.searchParams.delete(name);
  return url.href;
}

/** Changes the address of the page without a load. */
export function showAddress(url: string): void {
  history.replaceState(history.state, '', url);
  // A router that has read the address reads it again.
  dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
}

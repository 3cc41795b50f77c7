import type { Application } from '#api/records.ts';
import type { Kind } from './kinds.ts';
import { APIS } from './snippets/apis.ts';
import { BACK_ENDS } from './snippets/back-ends.ts';
import { BROWSER } from './snippets/browser.ts';
import { NATIVE } from './snippets/native.ts';
import type { Snippet } from './snippets/snippet.ts';
import { WEB } from './snippets/web.ts';

const ALL: readonly Snippet[] = [...BROWSER, ...WEB, ...NATIVE, ...APIS, ...BACK_ENDS];

/** The frameworks that there is sample code for, by kind of application. */
export const snippetsFor = (kind: Kind): readonly Snippet[] => ALL.filter(({ kinds }) => kinds.includes(kind));

type Addresses = Pick<Application, 'redirectUris' | 'postLogoutRedirectUris' | 'origins' | 'backchannelLogoutUri'>;

/** Where sample code runs, and the addresses of it that the application does not have yet. */
type Place = { origin: string; appRedirect: string; missing: Addresses | null };

/** Of an application without addresses. */
export const NO_ADDRESSES: Addresses = {
  redirectUris: [],
  postLogoutRedirectUris: [],
  origins: [],
  backchannelLogoutUri: null,
};

/** The place of sample code: an address that the application has and that fits, or else where the code runs while it is developed. */
export function placeOf(snippet: Snippet, { kind, ...known }: Addresses & { kind: Kind }): Place {
  const { returnsTo, appRedirect = '' } = snippet;
  if (returnsTo) {
    const { home, path, backchannelLogout } = returnsTo;
    const fitting = known.redirectUris.find((uri) => URL.parse(uri)?.pathname === path && uri.startsWith('http'));
    const { origin } = new URL(fitting ?? home);
    const wanted = {
      redirectUris: [origin + path],
      postLogoutRedirectUris: [`${origin}/`],
      origins: kind === 'spa' ? [origin] : [],
      backchannelLogoutUri: backchannelLogout === undefined ? null : origin + backchannelLogout,
    };
    return { origin, appRedirect, missing: without(wanted, known) };
  }
  const fitting = known.redirectUris.find((uri) => !uri.startsWith('http'));
  const redirectUris = appRedirect === '' ? [] : [fitting ?? appRedirect];
  return {
    origin: '',
    appRedirect: fitting ?? appRedirect,
    missing: without({ ...NO_ADDRESSES, redirectUris }, known),
  };
}

function without(wanted: Addresses, known: Addresses): Addresses | null {
  const left = (name: 'redirectUris' | 'postLogoutRedirectUris' | 'origins') =>
    wanted[name].filter((address) => !known[name].includes(address));
  const missing = {
    redirectUris: left('redirectUris'),
    postLogoutRedirectUris: left('postLogoutRedirectUris'),
    origins: left('origins'),
    // An application has one, which may be elsewhere on purpose.
    backchannelLogoutUri: known.backchannelLogoutUri === null ? wanted.backchannelLogoutUri : null,
  };
  return addressesOf(missing).length > 0 ? missing : null;
}

/** Each once. */
export function addressesOf({
  redirectUris,
  postLogoutRedirectUris,
  origins,
  backchannelLogoutUri,
}: Addresses): string[] {
  const all = [...redirectUris, ...postLogoutRedirectUris, ...origins];
  return [...new Set(backchannelLogoutUri === null ? all : [...all, backchannelLogoutUri])];
}

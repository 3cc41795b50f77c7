import type Provider from 'oidc-provider';
import { cookieName, cookieOptions, surplusCookies } from '#platform/cookies.ts';
import type { IssuerAddress } from './clients.ts';
import { routedHere } from './routed-ids.ts';

/** Matches the id of the sign-in in a path. */
const SIGN_IN = /^\/(?:sign-in|connect\/(?:authorize|device))\/([A-Za-z0-9_-]+)/;

/** The names of the library's cookies: for the browser's session and for each sign-in in progress. */
export function cookieNames({ environment, ...host }: IssuerAddress) {
  const name = (kind: string) => cookieName(host, environment, kind);
  return { session: name('browser'), interaction: name('interaction'), resume: name('resume') };
}

/**
 * Binds the library's cookies to the host. The library separates the sign-ins of one browser by cookie path; a
 * `__Host-` cookie requires the whole path, so the name has the sign-in's id instead. The signature covers the name.
 */
export function bindCookies(provider: Provider, issuer: IssuerAddress): void {
  const { interaction, resume } = cookieNames(issuer);
  const { path, secure } = cookieOptions(issuer, 'lax');
  const create = provider.createContext.bind(provider);
  const nameAt = (name: string, address = '') => {
    const [, uid] = SIGN_IN.exec(address) ?? [];
    return uid !== undefined && (name === interaction || name === resume) ? `${name}-${uid}` : name;
  };
  provider.createContext = <State>(...[request, response]: Parameters<typeof create>) => {
    const ctx = create<State>(request, response);
    const { cookies } = ctx;
    const get = cookies.get.bind(cookies);
    const set = cookies.set.bind(cookies);
    cookies.secure = secure;
    cookies.get = (name, options) => get(nameAt(name, request.url), options);
    cookies.set = (name, value, options) => {
      const own = nameAt(name, options?.path);
      const id = value && (name === interaction || name === resume) ? routedHere(value) : value;
      const bound = { ...options, path };
      if (own !== name && value)
        for (const surplus of surplusCookies(request.headers.cookie, `${name}-`, own)) set(surplus, null, bound);
      return set(own, id, bound);
    };
    return ctx;
  };
}

import { isSession, type Session } from './session.ts';

/**
 * Where the session is while the page is away:
 * - `memory`: nowhere. A new page gets it from another tab, or from Latchkey by a redirect without questions.
 * - `tab`: in `sessionStorage`, so a reload keeps it.
 * - `device`: in `localStorage`, so it is there after the browser was closed.
 *
 * Whatever is stored, every script of the origin can read and send away, unless `dpop` binds it to this browser.
 */
export type Persistence = 'memory' | 'tab' | 'device';

export type Store = {
  load: () => Session | null;
  /** Null removes it. */
  save: (session: Session | null) => void;
  /** Whether somebody was signed in here and has not signed out. It is no secret, so it is always stored. */
  wasSignedIn: () => boolean;
};

export function storeOf(name: string, persistence: Persistence): Store {
  const storage = { memory: null, tab: sessionStorage, device: localStorage }[persistence];
  const marker = `${name} in`;
  return {
    load: () => {
      const kept: unknown = JSON.parse(storage?.getItem(name) ?? 'null');
      return isSession(kept) ? kept : null;
    },
    save: (session) => {
      if (session) {
        storage?.setItem(name, JSON.stringify(session));
        localStorage.setItem(marker, '1');
      } else {
        storage?.removeItem(name);
        localStorage.removeItem(marker);
      }
    },
    wasSignedIn: () => localStorage.getItem(marker) !== null,
  };
}

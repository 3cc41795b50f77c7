import type { Auth, AuthError, AuthState, User } from '@latchkey/browser';
import type { ApiAuth } from '@latchkey/browser/api';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { FormTexts } from './texts/form-en.ts';
import { type Language, languageOf, TEXTS, type Texts } from './texts.ts';

/** Sign-in by the hosted pages or by the API. */
export type AnyAuth = Auth | ApiAuth;
type OwnTexts = Partial<Texts & FormTexts>;
type Known = {
  auth: AnyAuth;
  state: AuthState;
  error: AuthError | null;
  texts: Texts;
  ownTexts: OwnTexts | undefined;
  language: Language;
};

const Context = createContext<Known | null>(null);

export type LatchkeyProviderProps = {
  /** Made once, outside of components. */
  auth: AnyAuth;
  /** By default the first language of the browser that there are texts in. */
  language?: Language;
  /** Texts of your own, for some or all. */
  texts?: OwnTexts;
  children?: ReactNode;
};

const LOADING: AuthState = { status: 'loading' };

/** Starts the session, and gives it to the components and hooks below it. */
export function LatchkeyProvider({ auth, language, texts, children }: LatchkeyProviderProps): ReactNode {
  const [error, setError] = useState<AuthError | null>(null);
  const state = useSyncExternalStore(
    (changed) => auth.subscribe(changed),
    () => auth.state,
    () => LOADING,
  );
  useEffect(() => {
    auth.start().catch(setError);
  }, [auth]);
  const known = useMemo(() => {
    const spoken = language ?? languageOf(typeof navigator === 'undefined' ? [] : navigator.languages);
    return { auth, state, error, language: spoken, texts: { ...TEXTS[spoken], ...texts }, ownTexts: texts };
  }, [auth, state, error, language, texts]);
  return <Context.Provider value={known}>{children}</Context.Provider>;
}

function useKnown(): Known {
  const known = useContext(Context);
  if (!known) throw new Error('Put the component into a LatchkeyProvider.');
  return known;
}

/** The session: `auth` to call, `state` to show, and the `error` of a sign-in that failed. */
export function useAuth(): { auth: AnyAuth; state: AuthState; error: AuthError | null } {
  return useKnown();
}

/** Null while nobody is signed in. */
export function useUser(): User | null {
  const { state } = useKnown();
  return state.status === 'signed-in' ? state.user : null;
}

/** The organization that is worked in, and how to change it. */
export function useOrganization(): {
  organization: string | null;
  switchOrganization: (id: string | null) => Promise<void>;
} {
  const { auth, state } = useKnown();
  return {
    organization: state.status === 'signed-in' ? state.organization : null,
    switchOrganization: (organization) => auth.switchOrganization(organization),
  };
}

export function useTexts(): { texts: Texts; ownTexts: OwnTexts | undefined; language: Language } {
  return useKnown();
}

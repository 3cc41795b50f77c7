import { authJs } from './auth-js.ts';
import { auth0 } from './auth0.ts';
import { betterAuth } from './better-auth.ts';
import { cognito } from './cognito.ts';
import { firebase } from './firebase.ts';
import { keycloak } from './keycloak.ts';
import { logto } from './logto.ts';
import { okta } from './okta.ts';
import type { Kind } from './other-person.ts';
import { supabase } from './supabase.ts';

/** The systems that people come from, by the name that the command line takes. */
export const kinds: ReadonlyMap<string, Kind> = new Map(
  Object.entries({
    auth0,
    keycloak,
    cognito,
    firebase,
    supabase,
    okta,
    logto,
    'better-auth': betterAuth,
    'auth-js': authJs,
  }),
);

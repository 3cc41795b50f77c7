import * as SecureStore from 'expo-secure-store';
import { type AuthConfiguration, authorize, refresh, revoke } from 'react-native-app-auth';

const issuer = process.env.EXPO_PUBLIC_LATCHKEY_ISSUER ?? '';

/** AppAuth opens the browser of the system, where the person may be signed in already (RFC 8252), with PKCE. */
const configuration: AuthConfiguration = {
  issuer,
  clientId: process.env.EXPO_PUBLIC_LATCHKEY_CLIENT_ID ?? '',
  redirectUrl: 'com.example.app:/callback',
  scopes: ['openid', 'profile', 'email', 'offline_access'],
  // For development only: a real issuer has https.
  dangerouslyAllowInsecureHttpRequests: issuer.startsWith('http://'),
};

export type Person = { sub: string; name?: string; email?: string };
export type Session = { accessToken: string; refreshToken: string; expiresAt: number; person: Person };

/** Where the key store of the system keeps the session. */
const KEY = 'latchkey-session';

export async function signIn(): Promise<Session> {
  const tokens = await authorize(configuration);
  const response = await fetch(`${issuer}/connect/userinfo`, {
    headers: { authorization: `Bearer ${tokens.accessToken}` },
  });
  if (!response.ok) throw new Error(`Userinfo responded with ${response.status}.`);
  const person: Person = await response.json();
  return keep({ ...tokens, expiresAt: Date.parse(tokens.accessTokenExpirationDate), person });
}

export async function storedSession(): Promise<Session | null> {
  const stored = await SecureStore.getItemAsync(KEY);
  return stored === null ? null : JSON.parse(stored);
}

let renewing: Promise<Session> | null = null;

/** The session with an access token that has not expired. Parallel callers share one renewal, since a refresh token works once. */
export function current(session: Session): Promise<Session> {
  if (session.expiresAt - 10_000 > Date.now()) return Promise.resolve(session);
  renewing ??= renew(session).finally(() => {
    renewing = null;
  });
  return renewing;
}

async function renew(session: Session): Promise<Session> {
  const tokens = await refresh(configuration, { refreshToken: session.refreshToken });
  const { accessToken, refreshToken } = tokens;
  const expiresAt = Date.parse(tokens.accessTokenExpirationDate);
  return keep({ ...session, accessToken, refreshToken: refreshToken ?? session.refreshToken, expiresAt });
}

export async function signOut(session: Session): Promise<void> {
  await SecureStore.deleteItemAsync(KEY);
  await revoke(configuration, { tokenToRevoke: session.refreshToken, sendClientId: true });
}

async function keep(session: Session): Promise<Session> {
  await SecureStore.setItemAsync(KEY, JSON.stringify(session));
  return session;
}

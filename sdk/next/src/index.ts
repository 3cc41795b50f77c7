import { cookies, headers } from 'next/headers.js';
import { type NextRequest, NextResponse } from 'next/server.js';
import { cookieHeaderOf, cookiesOf, setCookieOf } from './cookies.ts';
import { type EndedSessions, hasEnded } from './ended.ts';
import { type Provider, providerOf } from './provider.ts';
import { renewalOf, shared } from './renewal.ts';
import { route } from './routes.ts';
import { isLive, readSession, type Session, type User } from './session.ts';
import { type Options, type Settings, settingsOf } from './settings.ts';

export type { EndedSessions, Options, User };

/** What pages see of a session. It has no token, so it can be given to client components. */
export type SignedIn = { user: User };

export type Latchkey = {
  /** Who is signed in, for server components, server functions and route handlers; null for nobody. */
  auth: () => Promise<SignedIn | null>;
  /**
   * Sends people who are not signed in to sign in, and back.
   * @param returnTo a path of this application; by default the page of the request, as `proxy` saw it
   */
  requireAuth: (returnTo?: string) => Promise<SignedIn>;
  /** The access token of the person, to call an API from the server; null if nobody is signed in. */
  accessToken: () => Promise<string | null>;
  /** `GET` and `POST` of `app/auth/[action]/route`. */
  handlers: Record<'GET' | 'POST', (request: Request) => Promise<Response>>;
  /** Renews the session before a page is rendered, in `proxy`. */
  proxy: (request: NextRequest) => Promise<NextResponse>;
};

const PAGE = 'x-latchkey-page';

/** Sign-in for an application, by the hosted pages of Latchkey. Call it once, in a module of its own. */
export function latchkey(options: Options): Latchkey {
  const ready = once(() => {
    const settings = settingsOf(options);
    const provider = providerOf(settings);
    return { settings, provider: { ...provider, renew: shared(provider.renew) } };
  });
  const session = async (): Promise<Session | null> => {
    const sent = new Map((await cookies()).getAll().map(({ name, value }) => [name, value]));
    const found = await readSession(ready().settings, sent);
    return found && isLive(found) && !(await hasEnded(ready().settings.endedSessions, found)) ? found : null;
  };
  const auth = async (): Promise<SignedIn | null> => {
    const found = await session();
    return found && { user: found.user };
  };
  const handle = async (request: Request): Promise<Response> => {
    const { settings, provider } = ready();
    return route(settings, provider, request);
  };
  return {
    auth,
    requireAuth: async (returnTo) => {
      const page = returnTo ?? (await headers()).get(PAGE) ?? '/';
      const found = await auth();
      if (found) return found;
      // The bundler of Next.js has it for server components under this name only, and Node.js by itself has it not.
      const { redirect } = await import('next/navigation');
      return redirect(`${ready().settings.path}/sign-in?${new URLSearchParams({ returnTo: page })}`);
    },
    accessToken: async () => (await session())?.accessToken ?? null,
    handlers: { GET: handle, POST: handle },
    proxy: (request) => pass(ready(), request),
  };
}

/** The page sees the session as it will be in the browser. */
async function pass({ settings, provider }: { settings: Settings; provider: Provider }, request: NextRequest) {
  // The routes set the session themselves.
  if (request.nextUrl.pathname.startsWith(`${settings.path}/`)) return NextResponse.next();
  const sent = cookiesOf(request.headers.get('cookie'));
  const changes = await renewalOf(settings, provider.renew, sent);
  const seen = new Headers(request.headers);
  seen.set(PAGE, request.nextUrl.pathname + request.nextUrl.search);
  seen.set('cookie', cookieHeaderOf(sent, changes));
  const response = NextResponse.next({ request: { headers: seen } });
  for (const change of changes) response.headers.append('set-cookie', setCookieOf(settings, change));
  return response;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

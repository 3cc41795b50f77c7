import { createRequire } from 'node:module';
import { testProgram, WALKS } from './program.ts';
import { type Pages, type Reply, type Settings, startParty, type Visit } from './relying-party.ts';

/** It has no types of its own. */
const Strategy = createRequire(import.meta.url)('passport-openidconnect');

type Session = { me: object };
type Profile = { id: string; emails?: { value: string }[] };

/** The strategy with its defaults, and user info. */
async function program({ issuer, origin, clientId, clientSecret }: Settings): Promise<Pages<Session>> {
  const strategy = new Strategy(
    {
      issuer,
      authorizationURL: `${issuer}/connect/authorize`,
      tokenURL: `${issuer}/connect/token`,
      userInfoURL: `${issuer}/connect/userinfo`,
      clientID: clientId,
      clientSecret,
      callbackURL: `${origin}/callback`,
      scope: 'profile email',
      skipUserProfile: false,
    },
    (_issuer: string, { id, emails }: Profile, done: (error: null, user: object) => void) =>
      done(null, { sub: id, email: emails?.[0]?.value }),
  );
  /** What Passport does with a strategy: it adds the actions, and waits for the one that the strategy takes. */
  const authenticate = ({ url, session }: Visit<Session>) =>
    new Promise<Reply>((resolve, reject) => {
      const actions = {
        redirect: (location: string) => resolve({ location }),
        success: (me: object) => resolve(Object.assign(session, { me }) && { location: '/me' }),
        fail: (challenge: unknown) => reject(new Error(JSON.stringify(challenge))),
        error: reject,
      };
      Object.assign(Object.create(strategy), actions).authenticate({
        query: Object.fromEntries(url.searchParams),
        session,
      });
    });
  return {
    '/sign-in': authenticate,
    '/callback': authenticate,
    '/me': async ({ session: { me } }) => (me === undefined ? { status: 401 } : { json: me }),
  };
}

// It sends no code challenge, and no option makes it.
testProgram('passport-openidconnect', (latchkey) => startParty(latchkey, { pkce: 'optional' }, program), {
  walks: [WALKS.signIn, WALKS.rotation],
});

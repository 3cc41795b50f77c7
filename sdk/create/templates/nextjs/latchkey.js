import { latchkey } from '@latchkey/next';

export const { auth, requireAuth, accessToken, handlers, proxy } = latchkey({
  issuer: process.env.LATCHKEY_ISSUER,
  clientId: process.env.LATCHKEY_CLIENT_ID,
  clientSecret: process.env.LATCHKEY_CLIENT_SECRET,
  cookieSecret: process.env.COOKIE_SECRET,
  origin: process.env.ORIGIN,
});

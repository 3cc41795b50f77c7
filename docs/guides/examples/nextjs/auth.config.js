/** The settings that Auth.js needs; it reads the rest from the issuer. */
export const config = {
  providers: [
    {
      id: 'latchkey',
      name: 'Latchkey',
      type: 'oidc',
      issuer: process.env.LATCHKEY_ISSUER,
      clientId: process.env.LATCHKEY_CLIENT_ID,
      clientSecret: process.env.LATCHKEY_CLIENT_SECRET,
      authorization: { params: { scope: 'openid profile email roles' } },
      // The ID token only proves the sign-in; the profile is at userinfo.
      idToken: false,
    },
  ],
  callbacks: {
    // The profile is available only at sign-in; copy what the application needs into its own session.
    jwt: ({ token, profile }) => (profile ? { ...token, roles: profile.roles ?? [] } : token),
    session: ({ session, token }) => ({ ...session, user: { ...session.user, id: token.sub, roles: token.roles } }),
  },
};

/** Everything Auth.js needs to know of Latchkey; the rest it reads from the issuer. */
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
    },
  ],
  callbacks: {
    // Only at the sign-in there is a profile; what the application needs of it goes into its own session.
    jwt: ({ token, profile }) => (profile ? { ...token, roles: profile.roles ?? [] } : token),
    session: ({ session, token }) => ({ ...session, user: { ...session.user, id: token.sub, roles: token.roles } }),
  },
};

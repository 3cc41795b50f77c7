import type { Kind } from './kinds.ts';

/** The values that sample code for sign-in needs. */
type Facts = {
  issuer: string;
  apiUrl: string;
  clientId: string;
  redirectUri: string;
  workspaceId: string;
  projectId: string;
  environment: string;
};
export type Snippet = { name: string; code: (facts: Facts) => string };

const react: Snippet = {
  name: 'React',
  code: ({ issuer, clientId, redirectUri }) => `// npm install react-oidc-context oidc-client-ts
import { AuthProvider, useAuth } from 'react-oidc-context';

const settings = {
  authority: '${issuer}',
  client_id: '${clientId}',
  redirect_uri: '${redirectUri}',
  scope: 'openid profile email offline_access',
  // Removes the code from the address after sign-in.
  onSigninCallback: () => window.history.replaceState({}, '', window.location.pathname),
};

export function App() {
  return (
    <AuthProvider {...settings}>
      <Profile />
    </AuthProvider>
  );
}

function Profile() {
  const auth = useAuth();
  if (auth.isLoading) return <p>One moment…</p>;
  if (auth.error) return <p role="alert">Sign-in failed: {auth.error.message}</p>;
  if (!auth.isAuthenticated) return <button onClick={() => auth.signinRedirect()}>Sign in</button>;
  return <p>Hello {auth.user?.profile.name}</p>;
}`,
};

const browser: Snippet = {
  name: 'Any browser app',
  code: ({ issuer, clientId, redirectUri }) => `// npm install oidc-client-ts
import { UserManager } from 'oidc-client-ts';

const users = new UserManager({
  authority: '${issuer}',
  client_id: '${clientId}',
  redirect_uri: '${redirectUri}',
  scope: 'openid profile email offline_access',
});

// On the callback page: await users.signinRedirectCallback();
await users.signinRedirect();`,
};

const next: Snippet = {
  name: 'Next.js',
  code: ({ issuer, clientId }) => `// npm install next-auth@5.0.0-beta.30
// auth.ts; LATCHKEY_CLIENT_SECRET is the secret shown once
import NextAuth from 'next-auth';

export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [
    {
      id: 'latchkey',
      name: 'Latchkey',
      type: 'oidc',
      issuer: '${issuer}',
      clientId: '${clientId}',
      clientSecret: process.env.LATCHKEY_CLIENT_SECRET,
      // The profile is at userinfo, not in the ID token.
      idToken: false,
    },
  ],
});`,
};

const node: Snippet = {
  name: 'Node.js',
  code: ({ issuer, clientId, redirectUri }) => `// npm install openid-client
import * as client from 'openid-client';

const server = await client.discovery(
  new URL('${issuer}'),
  '${clientId}',
  process.env.LATCHKEY_CLIENT_SECRET,
);
const verifier = client.randomPKCECodeVerifier();
const address = client.buildAuthorizationUrl(server, {
  redirect_uri: '${redirectUri}',
  scope: 'openid profile email offline_access',
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
});
// Send the browser to the address; on the callback:
// await client.authorizationCodeGrant(server, new URL(request.url), { pkceCodeVerifier: verifier });`,
};

const swift: Snippet = {
  name: 'iOS',
  code: ({ issuer, clientId, redirectUri }) => `// Swift package: https://github.com/openid/AppAuth-iOS
let issuer = URL(string: "${issuer}")!
OIDAuthorizationService.discoverConfiguration(forIssuer: issuer) { configuration, _ in
  guard let configuration else { return }
  let request = OIDAuthorizationRequest(
    configuration: configuration,
    clientId: "${clientId}",
    scopes: [OIDScopeOpenID, OIDScopeProfile, "offline_access"],
    redirectURL: URL(string: "${redirectUri}")!,
    responseType: OIDResponseTypeCode,
    additionalParameters: nil)
  self.flow = OIDAuthState.authState(byPresenting: request, presenting: self) { state, _ in
    self.state = state
  }
}`,
};

const kotlin: Snippet = {
  name: 'Android',
  code: ({ issuer, clientId, redirectUri }) => `// implementation("net.openid:appauth:0.11.1")
AuthorizationServiceConfiguration.fetchFromIssuer(Uri.parse("${issuer}")) { configuration, _ ->
  val request = AuthorizationRequest.Builder(
    configuration!!,
    "${clientId}",
    ResponseTypeValues.CODE,
    Uri.parse("${redirectUri}"),
  ).setScope("openid profile offline_access").build()
  startActivity(AuthorizationService(this).getAuthorizationRequestIntent(request))
}`,
};

const device: Snippet = {
  name: 'Shell',
  code: ({ issuer, clientId }) => `curl ${issuer}/connect/device_authorization \\
  -d client_id=${clientId} -d scope='openid profile'

# Show user_code and verification_uri, then ask every few seconds:
curl ${issuer}/connect/token \\
  -d grant_type=urn:ietf:params:oauth:grant-type:device_code \\
  -d client_id=${clientId} -d device_code=THE_DEVICE_CODE`,
};

const management: Snippet = {
  name: 'Shell',
  code: ({ issuer, apiUrl, clientId, ...scope }) => `TOKEN=$(curl -s ${issuer}/connect/token \\
  -u "${clientId}:$LATCHKEY_CLIENT_SECRET" \\
  -d grant_type=client_credentials \\
  -d workspaceId=${scope.workspaceId} \\
  -d projectId=${scope.projectId} \\
  -d environment=${scope.environment} | jq -r .access_token)

curl ${apiUrl}/v1/admin/members -H "Authorization: Bearer $TOKEN"`,
};

const managementNode: Snippet = {
  name: 'Node.js',
  code: ({ issuer, apiUrl, clientId, ...scope }) => `const response = await fetch('${issuer}/connect/token', {
  method: 'POST',
  headers: {
    authorization: \`Basic \${btoa(\`${clientId}:\${process.env.LATCHKEY_CLIENT_SECRET}\`)}\`,
  },
  body: new URLSearchParams({
    grant_type: 'client_credentials',
    workspaceId: '${scope.workspaceId}',
    projectId: '${scope.projectId}',
    environment: '${scope.environment}',
  }),
});
const { access_token } = await response.json();
const members = await fetch('${apiUrl}/v1/admin/members', {
  headers: { authorization: \`Bearer \${access_token}\` },
});`,
};

const SNIPPETS: Record<Kind, readonly Snippet[]> = {
  spa: [react, browser],
  web: [next, node],
  native: [swift, kotlin],
  device: [device],
  saml: [],
  management: [management, managementNode],
};

/** Sample code by kind of application. */
export const snippetsFor = (kind: Kind): readonly Snippet[] => SNIPPETS[kind];

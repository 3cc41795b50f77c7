import reactNativeApp from '../../../../../sdk/create/templates/react-native/App.tsx?raw';
import reactNativeManifest from '../../../../../sdk/create/templates/react-native/app.json?raw';
import reactNativeEnv from '../../../../../sdk/create/templates/react-native/env?raw';
import reactNativeTypes from '../../../../../sdk/create/templates/react-native/env.d.ts?raw';
import reactNativeIndex from '../../../../../sdk/create/templates/react-native/index.ts?raw';
import reactNativeSession from '../../../../../sdk/create/templates/react-native/session.ts?raw';
import { type Facts, filled, type Snippet } from './snippet.ts';

const APP_REDIRECT = 'com.example.app:/callback';

/** The template with the redirect address of this application, and its scheme as the name of the app. */
function withRedirect(text: string, { appRedirect }: Facts): string {
  const [scheme = ''] = appRedirect.split(':');
  return text.replaceAll(APP_REDIRECT, appRedirect).replaceAll('"com.example.app"', `"${scheme}"`);
}

const reactNative: Snippet = {
  key: 'react-native',
  name: 'React Native',
  kinds: ['native'],
  appRedirect: APP_REDIRECT,
  install: `npx create-expo-app@latest my-app --template blank-typescript && cd my-app
npx expo install expo-secure-store react-native-app-auth`,
  env: (facts) => filled(reactNativeEnv, facts),
  files: (facts) => [
    ['app.json', withRedirect(reactNativeManifest, facts)],
    ['index.ts', reactNativeIndex],
    ['App.tsx', reactNativeApp],
    ['session.ts', withRedirect(reactNativeSession, facts)],
    ['env.d.ts', reactNativeTypes],
  ],
  run: 'npx expo run:android',
};

const ios: Snippet = {
  key: 'ios',
  name: 'iOS',
  kinds: ['native'],
  appRedirect: APP_REDIRECT,
  install: 'Swift package: https://github.com/openid/AppAuth-iOS',
  files: ({ issuer, clientId, appRedirect }) => [
    [
      'SignIn.swift',
      `import AppAuth
import UIKit

final class SignIn {
  private var flow: OIDExternalUserAgentSession?
  private(set) var state: OIDAuthState?

  func start(from page: UIViewController) {
    let issuer = URL(string: "${issuer}")!
    OIDAuthorizationService.discoverConfiguration(forIssuer: issuer) { configuration, _ in
      guard let configuration else { return }
      let request = OIDAuthorizationRequest(
        configuration: configuration,
        clientId: "${clientId}",
        scopes: [OIDScopeOpenID, OIDScopeProfile, "offline_access"],
        redirectURL: URL(string: "${appRedirect}")!,
        responseType: OIDResponseTypeCode,
        additionalParameters: nil)
      self.flow = OIDAuthState.authState(byPresenting: request, presenting: page) { state, _ in
        self.state = state
      }
    }
  }
}`,
    ],
  ],
};

const android: Snippet = {
  key: 'android',
  name: 'Android',
  kinds: ['native'],
  appRedirect: APP_REDIRECT,
  install: 'implementation("net.openid:appauth:0.11.1")',
  files: ({ issuer, clientId, appRedirect }) => [
    [
      'SignIn.kt',
      `import android.app.Activity
import android.net.Uri
import net.openid.appauth.AuthorizationRequest
import net.openid.appauth.AuthorizationService
import net.openid.appauth.AuthorizationServiceConfiguration
import net.openid.appauth.ResponseTypeValues

const val SIGN_IN = 1

fun Activity.signIn() {
  AuthorizationServiceConfiguration.fetchFromIssuer(Uri.parse("${issuer}")) { configuration, _ ->
    val request = AuthorizationRequest.Builder(
      configuration!!,
      "${clientId}",
      ResponseTypeValues.CODE,
      Uri.parse("${appRedirect}"),
    ).setScope("openid profile offline_access").build()
    startActivityForResult(AuthorizationService(this).getAuthorizationRequestIntent(request), SIGN_IN)
  }
}`,
    ],
  ],
};

const device: Snippet = {
  key: 'shell-device',
  name: 'Shell',
  kinds: ['device'],
  install: 'curl and jq',
  env: ({ issuer, clientId }) => `LATCHKEY_ISSUER=${issuer}\nLATCHKEY_CLIENT_ID=${clientId}`,
  files: () => [
    [
      'sign-in.sh',
      `. ./.env
started=$(curl -s "$LATCHKEY_ISSUER/connect/device_authorization" \\
  -d client_id="$LATCHKEY_CLIENT_ID" -d scope='openid profile')
echo "Open $(echo "$started" | jq -r .verification_uri) and enter $(echo "$started" | jq -r .user_code)"
tokens='{"error":"authorization_pending"}'
while [ "$(echo "$tokens" | jq -r .error)" = authorization_pending ]; do
  sleep "$(echo "$started" | jq -r '.interval // 5')"
  tokens=$(curl -s "$LATCHKEY_ISSUER/connect/token" -d client_id="$LATCHKEY_CLIENT_ID" \\
    -d grant_type=urn:ietf:params:oauth:grant-type:device_code \\
    -d device_code="$(echo "$started" | jq -r .device_code)")
done
echo "$tokens" | jq`,
    ],
  ],
  run: 'sh sign-in.sh',
};

/** Sign-in on phones and devices. */
export const NATIVE: readonly Snippet[] = [reactNative, ios, android, device];

import { UserManager } from 'oidc-client-ts';
import { clientId, issuer } from './config.js';

const home = `${location.origin}/`;
const users = new UserManager({
  authority: issuer,
  client_id: clientId,
  redirect_uri: home,
  post_logout_redirect_uri: home,
  scope: 'openid profile email',
  loadUserInfo: true,
});

// After the sign-in: redeem the code and remove it from the address.
const back = new URLSearchParams(location.search);
if (back.has('code') || back.has('error')) {
  await users.signinRedirectCallback().catch((error) => alert(error.message));
  history.replaceState(null, '', home);
}

const user = await users.getUser();
const byId = (id) => document.getElementById(id);
byId('greeting').textContent = user ? `Hello, ${user.profile.name ?? user.profile.email}` : 'You are not signed in.';
byId('sign-in').hidden = user !== null;
byId('sign-out').hidden = user === null;
byId('account').hidden = user === null;
byId('account').href = `${issuer}/account?clientId=${encodeURIComponent(clientId)}`;
byId('sign-in').addEventListener('click', () => users.signinRedirect());
byId('sign-out').addEventListener('click', () => users.signoutRedirect());

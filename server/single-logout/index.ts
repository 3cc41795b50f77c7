export { bindLogin, endLogins, keepLogin, type Login, loginOf, type SamlLoginId, type SamlSession } from './logins.ts';
export { finishLogout, goesOn, logoutAddress } from './logouts.ts';
export { part } from './part.ts';

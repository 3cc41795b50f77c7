export {
  CookieSession,
  clearSession,
  requireOrigin,
  sendSession,
  setSessionCookies,
  tokenCookie,
} from './cookies.ts';
export { addCors } from './cors.ts';
export { addAuthentication } from './principal.ts';
export {
  anonymousCtx,
  ctxFor,
  environmentOf,
  forApplication,
  linkCtx,
  proofCtx,
  realmOfSecret,
  scopeFields,
} from './scope.ts';

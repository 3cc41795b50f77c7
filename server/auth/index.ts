export { emailVerificationRoutes } from './email-verification.auth.ts';
export { methodRoutes } from './methods.auth.ts';
export { passwordLoginRoutes } from './password-login.auth.ts';
export { registerRoutes } from './register.auth.ts';
export { sessionRoutes } from './sessions.auth.ts';

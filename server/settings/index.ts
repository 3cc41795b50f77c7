export {
  Branding,
  effectiveSettings,
  Language,
  languages,
  REFRESH_GRACE_MS,
  type SelfServiceArea,
  Settings,
  SignInMethod,
  sessionLifetimes,
} from './settings.ts';

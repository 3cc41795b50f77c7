export {
  Branding,
  effectiveSettings,
  Language,
  languages,
  REFRESH_GRACE_MS,
  Settings,
  SignInMethod,
  sessionLifetimes,
} from './settings.ts';

export {
  Branding,
  effectiveSettings,
  type Font,
  Language,
  languages,
  REFRESH_GRACE_MS,
  type SelfServiceArea,
  Settings,
  SignInMethod,
  StyleSheet,
  sessionLifetimes,
} from './settings.ts';

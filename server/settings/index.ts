export {
  type Branding,
  effectiveSettings,
  Language,
  languages,
  Settings,
  SignInMethod,
  sessionLifetimes,
} from './settings.ts';

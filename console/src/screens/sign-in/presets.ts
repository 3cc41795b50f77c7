const PRESETS = {
  google: 'Google',
  apple: 'Apple',
  microsoft: 'Microsoft',
  github: 'GitHub',
  gitlab: 'GitLab',
  facebook: 'Facebook',
  linkedin: 'LinkedIn',
  discord: 'Discord',
  oidc: 'OpenID Connect',
} as const;

export type Preset = keyof typeof PRESETS;

export const presetChoices = Object.entries(PRESETS).map(([value, label]) => ({ value, label }));

export function isPreset(key: string): key is Preset {
  return key in PRESETS;
}

export const presetName = (key: string): string => (isPreset(key) ? PRESETS[key] : key);

import type { Application } from '#api/records.ts';

export type Kind = Application['kind'];

type KindText = { name: string; about: string; redirects: boolean; secret: boolean };

const KINDS: Record<Kind, KindText> = {
  spa: {
    name: 'Single-page app',
    about: 'Runs in the browser: React, Vue, Angular, Svelte.',
    redirects: true,
    secret: false,
  },
  web: {
    name: 'Web server',
    about: 'Renders pages and keeps a secret: Next.js, Rails, Django, Laravel.',
    redirects: true,
    secret: true,
  },
  native: {
    name: 'Phone or desktop app',
    about: 'iOS, Android, Electron, command line.',
    redirects: true,
    secret: false,
  },
  device: {
    name: 'Television or device',
    about: 'Shows a code that people enter on their phone.',
    redirects: false,
    secret: false,
  },
  saml: {
    name: 'SAML service provider',
    about: 'Software that signs people in by SAML 2.0, bought or your own.',
    redirects: false,
    secret: false,
  },
  management: {
    name: 'Back end',
    about: 'Calls the admin API without a user, with the permissions you grant.',
    redirects: false,
    secret: true,
  },
};

export const kinds: readonly Kind[] = ['spa', 'web', 'native', 'device', 'saml', 'management'];
export const kindOf = (kind: Kind): KindText => KINDS[kind];

/** One address per line; empty lines are ignored. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

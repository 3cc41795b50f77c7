import type { setupEnglish } from './setup-language-en.ts';

/** The texts of the pages of set-up links, in one language. */
export type SetupTexts = Record<keyof typeof setupEnglish, string>;

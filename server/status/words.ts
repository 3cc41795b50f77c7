import { type MessageValues, sayIn } from '#platform/message-format.ts';
import type { Language } from '#settings';
import { arabic } from './words-ar.ts';
import { german } from './words-de.ts';
import { english, type TextId, type Words } from './words-en.ts';
import { spanish } from './words-es.ts';
import { french } from './words-fr.ts';
import { japanese } from './words-ja.ts';
import { chinese } from './words-zh.ts';

const words: Readonly<Record<Language, Words>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  ja: japanese,
  zh: chinese,
  ar: arabic,
};

/** The words of the status in one language. The API uses English, the pages the reader's language. */
export type Voice = {
  language: Language;
  say: (id: TextId, values?: MessageValues) => string;
  /** The name of a built-in group or component; the id itself for others. */
  nameOf: (id: string) => string;
  /** The description of a built-in component; empty for others. */
  aboutOf: (id: string) => string;
};

const voices = new Map<Language, Voice>();

export function voiceIn(language: Language): Voice {
  const known = voices.get(language);
  if (known) return known;
  const { texts, builtIn } = words[language];
  const named: Readonly<Record<string, readonly [name: string, about: string]>> = builtIn;
  const voice: Voice = {
    language,
    say: sayIn(texts, language),
    nameOf: (id) => named[id]?.[0] ?? id,
    aboutOf: (id) => named[id]?.[1] ?? '',
  };
  voices.set(language, voice);
  return voice;
}

import { type MessageValues, sayIn } from '#platform/message-format.ts';
import type { Language } from '#settings';
import { arabic } from './language-ar.ts';
import { german } from './language-de.ts';
import { english, type TextId, type Texts } from './language-en.ts';
import { spanish } from './language-es.ts';
import { french } from './language-fr.ts';
import { japanese } from './language-ja.ts';
import { chinese } from './language-zh.ts';

const texts: Readonly<Record<Language, Texts>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  ja: japanese,
  zh: chinese,
  ar: arabic,
};

/** Formats a text in the language of the page. */
export type Say = (id: TextId, values?: MessageValues) => string;

const known = new Map<Language, Say>();

/** The texts of one language. */
export function speak(language: Language): Say {
  const say = known.get(language) ?? sayIn(texts[language], language);
  known.set(language, say);
  return say;
}

import { IntlMessageFormat } from 'intl-messageformat';
import type { Language } from '#settings';
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
};

/** Formats a text in the language of the page. */
export type Say = (id: TextId, values?: Readonly<Record<string, string | number>>) => string;

/** The texts of one language. */
export function speak(language: Language): Say {
  return (id, values) =>
    values === undefined
      ? texts[language][id]
      : String(
          new IntlMessageFormat(texts[language][id], language, undefined, { ignoreTag: true }).format({ ...values }),
        );
}

import { IntlMessageFormat } from 'intl-messageformat';
import type { Language } from '#settings';
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
};

type Values = Readonly<Record<string, string | number>>;

/** The words of the status in one language. The API uses English, the pages the reader's language. */
export type Voice = {
  language: Language;
  say: (id: TextId, values?: Values) => string;
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
  const formats = new Map<TextId, IntlMessageFormat>();
  const formatOf = (id: TextId): IntlMessageFormat => {
    const made = formats.get(id) ?? new IntlMessageFormat(texts[id], language, undefined, { ignoreTag: true });
    formats.set(id, made);
    return made;
  };
  const named: Readonly<Record<string, readonly [name: string, about: string]>> = builtIn;
  const voice: Voice = {
    language,
    say: (id, values) => (values === undefined ? texts[id] : String(formatOf(id).format({ ...values }))),
    nameOf: (id) => named[id]?.[0] ?? id,
    aboutOf: (id) => named[id]?.[1] ?? '',
  };
  voices.set(language, voice);
  return voice;
}

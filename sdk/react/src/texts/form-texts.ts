import { useMemo } from 'react';
import { useTexts } from '../provider.tsx';
import { directionOf, type Language } from '../texts.ts';
import { arabic } from './form-ar.ts';
import { german } from './form-de.ts';
import { english, type FormTexts } from './form-en.ts';
import { spanish } from './form-es.ts';
import { french } from './form-fr.ts';
import { japanese } from './form-ja.ts';
import { chinese } from './form-zh.ts';

const TEXTS: Record<Language, FormTexts> = {
  en: english,
  de: german,
  es: spanish,
  fr: french,
  ja: japanese,
  zh: chinese,
  ar: arabic,
};

export type TextId = keyof FormTexts;
export type Say = (id: TextId, values?: Readonly<Record<string, string | number>>) => string;

/** The texts of forms in the language of the person. */
export function useSay(): { say: Say; language: Language } {
  const { language, ownTexts } = useTexts();
  return useMemo(() => {
    const texts = { ...TEXTS[language], ...ownTexts };
    return { language, say: (id, values = {}) => fill(texts[id], { language, values }) };
  }, [language, ownTexts]);
}

const PLURAL = /\{(\w+), plural, ((?:[=\w]+ \{[^{}]*\} ?)+)\}/g;

function fill(
  text: string,
  { language, values }: { language: Language; values: Readonly<Record<string, string | number>> },
): string {
  const chosen = text.replace(PLURAL, (_all, name: string, list: string) => {
    const count = Number(values[name]);
    const forms = new Map([...list.matchAll(/([=\w]+) \{([^{}]*)\}/g)].map(([, key = '', form = '']) => [key, form]));
    const rule = new Intl.PluralRules(language).select(count);
    return (forms.get(`=${count}`) ?? forms.get(rule) ?? forms.get('other') ?? '').replace('#', String(count));
  });
  // Addresses and numbers are written from left to right, also in a sentence that is not.
  const [before, after] = directionOf(language) === 'rtl' ? ['\u2068', '\u2069'] : ['', ''];
  return chosen.replace(/\{(\w+)\}/g, (all, name: string) =>
    name in values ? `${before}${values[name]}${after}` : all,
  );
}

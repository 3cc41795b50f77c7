import { english } from './language-en.ts';
import type { Texts } from './texts.ts';

export const french: Texts = english;

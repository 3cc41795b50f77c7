import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Kind } from './kind.ts';

const REFERENCE = /(\$+)\{(env|file):([^}]*)\}/g;

/** What the API shows in place of a credential. */
export const REDACTED = '[redacted]';

/** Where references find their values. */
export type Sources = { folder: string; environment: Readonly<Record<string, string | undefined>> };

/** Thrown for a reference to a variable or file that does not exist. */
export class MissingValue extends Error {
  override readonly name = 'MissingValue';
}

/** Whether a text is nothing but one reference. */
export function isReference(text: string): boolean {
  return /^\$\{(env|file):[^}]+\}$/.test(text);
}

/** Whether a text contains a reference. */
export function refers(text: string): boolean {
  return [...text.matchAll(REFERENCE)].some(([, signs]) => signs === '$');
}

/**
 * Replaces references by their values. `$${env:NAME}` stands for the text itself.
 * @throws MissingValue
 */
export function withValues(text: string, sources: Sources): string {
  return text.replace(REFERENCE, (all: string, signs: string, source: string, name: string) => {
    if (signs.length > 1) return all.slice(1);
    return source === 'env' ? variable(name, sources) : content(name, sources);
  });
}

/** Writes a text so that nothing in it is taken for a reference. */
export function escaped(text: string): string {
  return text.replace(REFERENCE, (all: string) => `$${all}`);
}

function variable(name: string, { environment }: Sources): string {
  const value = environment[name];
  if (value === undefined || value === '') throw new MissingValue(`the environment variable ${name} is not set`);
  return value;
}

/** Without the last line break, which editors add. */
function content(path: string, { folder }: Sources): string {
  try {
    return readFileSync(resolve(folder, path), 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new MissingValue(`the file ${path} cannot be read (${String(Object(error).code)})`);
  }
}

/** The reference that an export writes in place of a secret. */
export function referenceFor({ name }: Kind, key: string, field: string): string {
  const words = `${name}_${key}_${field}`.replace(/([a-z])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_');
  return `\${env:${words.toUpperCase().slice(0, 200)}}`;
}

/** Whether a place in a record holds a secret. */
export function isSecret({ secrets = [], redacts = [] }: Kind, path: readonly string[]): boolean {
  const [field = ''] = path;
  return secrets.some((secret) => secret.field === field) || (redacts.includes(field) && path.length > 1);
}

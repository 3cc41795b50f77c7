import type { Source } from './sources.ts';

/** Files that may reach connections: the platform, the start of the process, and tests. */
const CONNECTED = /^(?:platform\/|hosts\/latchkey\.ts$|tests\/)|\.test\.ts$/;

/**
 * All others read through `ctx.db`, and write in a transaction or declare why one statement is enough (`singleWrite`).
 */
export function reachesNoConnections({ path, text }: Source): string[] {
  return !CONNECTED.test(path) && /\bconnectionsOf\b/.test(text) ? [`${path} reaches past ctx to the connections`] : [];
}

const TRANSACTION = /\b(?:transaction|pageTransaction|changeBoard)\(\s*/g;

/** Inside a transaction, code that uses the outer context or system would read outside it, over a second connection. */
export function staysInTransaction({ path, text }: Source): string[] {
  if (path.startsWith('tests/') || path.endsWith('.test.ts')) return [];
  const plain = blanked(text);
  return [...plain.matchAll(TRANSACTION)].flatMap((call) => {
    const start = call.index + call[0].length;
    const [first = '', ...others] = argumentsAt(plain, start);
    const outer = ['ctx', 'system'].filter((name) => names(first, name));
    if (/^\w+$/.test(first)) outer.push(first);
    const used = outer.find((name) => names(others.join(), name));
    const line = text.slice(0, call.index).split('\n').length;
    return used === undefined ? [] : [`${path}:${line} uses ${used} inside of the transaction; use tx`];
  });
}

/** True if the code uses a variable of this name; properties of the name do not count. */
function names(code: string, variable: string): boolean {
  return new RegExp(`(?<!\\w|[^.]\\.)${variable}\\b(?!\\??:)`).test(code);
}

/** The arguments of a call whose parenthesis opened just before `start`. */
function argumentsAt(text: string, start: number): string[] {
  const found: string[] = [];
  let depth = 0;
  let from = start;
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at);
    if ('([{'.includes(char)) depth += 1;
    const ends = ')]}'.includes(char);
    if (depth === 0 && (ends || char === ',')) {
      found.push(text.slice(from, at).trim());
      from = at + 1;
    }
    if (!ends) continue;
    if (depth === 0) return found;
    depth -= 1;
  }
  return found;
}

/** The code without comments and quoted strings; template contents stay. */
function blanked(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$|'(?:[^'\\\n]|\\.)*'/gm, (part) => part.replace(/[^\n]/g, ' '));
}

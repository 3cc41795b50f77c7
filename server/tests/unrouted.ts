import { type FileHandle, open } from 'node:fs/promises';
import { DECLARED } from './unrouted-statements.ts';

/**
 * The statements of Latchkey that ask more than one server of a Citus cluster. Each is declared with a reason in
 * `unrouted-statements.ts`, because one that nobody meant makes a request wait for all servers.
 */

/** The settings of the coordinator for a run: it writes such statements into its log, with the name of the connection. */
export const LOGGING = [
  "alter system set citus.multi_task_query_log_level = 'log'",
  "alter system set log_line_prefix = '%m [%p] %a '",
  'select pg_reload_conf()',
];

/** The name of a connection may have several words. */
const ENTRY = /^\S+ \S+ \S+ \[(?<pid>\d+)\] (?<name>.*?) ?(?<level>[A-Z]+): {2}(?<text>.*)$/s;

/** The statements in a log of the coordinator that asked several servers, and those that Citus refused. */
export function statementsIn(log: string): { unrouted: Set<string>; refused: Set<string> } {
  const found = { unrouted: new Set<string>(), refused: new Set<string>() };
  const kinds = new Map<string, keyof typeof found | null>();
  for (const entry of log.split(/\n(?=\d{4}-\d\d-\d\d )/)) {
    const { pid = '', name = '', level, text = '' } = ENTRY.exec(entry)?.groups ?? {};
    if (level === 'LOG' && text.startsWith('multi-task query')) kinds.set(pid, 'unrouted');
    else if (level === 'ERROR') kinds.set(pid, isRefusal(text) ? 'refused' : null);
    if (level !== 'STATEMENT') continue;
    const kind = kinds.get(pid);
    kinds.delete(pid);
    // Tests ask what they like, over connections of their own.
    if (kind && name.startsWith('latchkey')) found[kind].add(normalised(text));
  }
  return found;
}

/** Errors by which Citus says that it cannot run a statement (codes 0A000 and XX000 have no other mark in the log). */
function isRefusal(message: string): boolean {
  return /not supported|unsupported|cannot push down|cannot perform distributed planning|complex joins|could not run distributed query|must be IMMUTABLE|STABLE functions|cannot be used|recursive CTEs/.test(
    message,
  );
}

function normalised(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?:\$\d+(?:::[a-z[\]]+)?, )+\$\d+/g, '$…')
    .trim();
}

/** The faults of a run: statements that are not declared, and refused ones. */
export function faultsOf({ unrouted, refused }: ReturnType<typeof statementsIn>, declared = DECLARED): string[] {
  const isDeclared = (text: string) => declared.some(({ statement }) => statement.test(text));
  return [
    ...[...unrouted]
      .filter((text) => !isDeclared(text))
      .map((text) => `asks several servers, and no reason is given: ${text}`),
    ...[...refused].map((text) => `Citus refuses it: ${text}`),
  ];
}

/** The log of a coordinator from where it ends now. */
export async function followLog(file: string): Promise<{ read: () => Promise<string>; close: () => Promise<void> }> {
  const handle: FileHandle = await open(file);
  const { size } = await handle.stat();
  return {
    read: async () => {
      const length = (await handle.stat()).size - size;
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size);
      return buffer.toString('utf8', 0, bytesRead);
    },
    close: () => handle.close(),
  };
}

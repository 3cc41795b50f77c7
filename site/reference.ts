import { slug } from './links.ts';
import {
  bodyOf,
  type Documented,
  errorsOf,
  operationsOf,
  parametersOf,
  resolved,
  resultOf,
  type Schema,
} from './openapi.ts';
import { samplesOf } from './samples.ts';

/** A page of the reference: the operations on one kind of record. */
export type ReferencePage = { path: string; title: string; group: string; operations: Documented[] };

const HOSTS = { api: 'API host', auth: 'auth host', status: 'host of status pages' };

const GROUPS: readonly (readonly [prefix: string, group: string])[] = [
  ['/v1/auth/', 'Sign-up and sign-in'],
  ['/v1/me', 'The signed-in customer'],
  ['/v1/admin/', 'Administration'],
];

/** Operations that several hosts have are shown once. */
export function referencePages(): ReferencePage[] {
  const seen = new Set<string>();
  const pages = new Map<string, ReferencePage>();
  for (const documented of [...operationsOf('auth'), ...operationsOf('api'), ...operationsOf('status')]) {
    const key = `${documented.method} ${documented.path}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const page = pageOf(documented);
    const known = pages.get(page.path);
    if (known) known.operations.push(documented);
    else pages.set(page.path, page);
  }
  return [...pages.values()];
}

function pageOf(documented: Documented): ReferencePage {
  const { path, operation } = documented;
  const [prefix, group] = GROUPS.find(([start]) => path.startsWith(start)) ?? [];
  const operations = [documented];
  if (prefix === undefined || group === undefined) {
    const title = operation.tags?.[0] ?? 'General';
    return { path: `reference/${slug(title)}.md`, title, group: 'More', operations };
  }
  const [noun = ''] = path.slice(prefix.length).split('/').filter(Boolean);
  const name = noun === '' || noun.startsWith('{') ? 'account' : noun;
  const start = prefix.split('/')[2];
  return { path: `reference/${start}-${name}.md`, title: titled(name), group, operations };
}

function titled(noun: string): string {
  const words = noun.replaceAll('-', ' ').replaceAll('_', ' ');
  const short: Readonly<Record<string, string>> = { apis: 'APIs', mfa: 'Second factors', sms: 'Text messages' };
  return short[noun] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** The address of an operation on the site. */
export function operationLink({ path }: ReferencePage, { operation }: Documented): string {
  return `/${path.replace(/\.md$/, '')}#${slug(operation.summary)}`;
}

export function referencePage(page: ReferencePage): string {
  const list = page.operations.map(
    ({ method, path, operation }) =>
      `| [${operation.summary}](#${slug(operation.summary)}) | \`${method.toUpperCase()} ${path}\` |`,
  );
  return [
    `# ${page.title}`,
    `${page.group}. [What all requests have in common](/api).`,
    ['| operation | |', '| --- | --- |', ...list].join('\n'),
    ...page.operations.map(operationSection),
  ].join('\n\n');
}

function operationSection(documented: Documented): string {
  const { host, method, path, operation } = documented;
  const permission = Object.values(operation.security?.[0] ?? {})[0]?.[0];
  const { status, schema } = resultOf(documented);
  const fields = parameterRows(documented);
  const body = bodyOf(documented);
  const rows = body ? propertyRows(documented, body.schema) : [];
  const result = schema ? propertyRows(documented, schema) : [];
  return [
    `## ${operation.summary}`,
    `\`${method.toUpperCase()} ${path}\` on the ${HOSTS[host]}.${permission ? ` Permission: \`${permission}\`.` : ''}${operation.deprecated ? ' **Deprecated.**' : ''}`,
    ...(operation.description ? [operation.description] : []),
    `::: code-group\n${samplesOf(documented)
      .map(({ language, name, code }) => `\`\`\`${language} [${name}]\n${code}\n\`\`\``)
      .join('\n')}\n:::`,
    ...(fields.length > 0 ? [table('parameter', fields)] : []),
    ...(rows.length > 0 ? [table(`field of the body`, rows)] : []),
    `**Response**: ${status}${result.length > 0 ? '' : ' without a described body'}.`,
    ...(result.length > 0 ? [table('field of the response', result)] : []),
    `**Errors**: ${errorsOf(documented)
      .flatMap(({ codes }) => codes)
      .map((code) => `[\`${code}\`](/errors/${code})`)
      .join(', ')}.`,
  ].join('\n\n');
}

type Row = readonly [name: string, type: string, about: string];

function table(name: string, rows: readonly Row[]): string {
  return [`| ${name} | type | |`, '| --- | --- | --- |', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('\n', ' ').replaceAll('|', '\\|');
}

function parameterRows(documented: Documented): Row[] {
  return parametersOf(documented).map(({ name, in: place, required, description = '', schema = {} }) => [
    `\`${name}\`${required ? '' : ' (optional)'}`,
    cell(`${typeOf(documented, schema)}, ${place}`),
    cell(description),
  ]);
}

function propertyRows(documented: Documented, schema: Schema): Row[] {
  const { of } = documented;
  const whole = resolved(of, schema);
  const choices = whole.anyOf ?? whole.oneOf ?? whole.allOf;
  if (!whole.properties && choices) return unique(choices.flatMap((choice) => propertyRows(documented, choice)));
  return Object.entries(whole.properties ?? {}).map(([name, part]) => {
    const field = resolved(of, part);
    return [
      `\`${name}\`${whole.required?.includes(name) ? '' : ' (optional)'}`,
      cell(typeOf(documented, field)),
      cell(field.description ?? ''),
    ];
  });
}

function unique(rows: Row[]): Row[] {
  return [...new Map(rows.map((row) => [row[0], row])).values()];
}

function typeOf(documented: Documented, schema: Schema): string {
  const whole = resolved(documented.of, schema);
  if (whole.enum) return whole.enum.map((value) => `\`${value}\``).join(', ');
  if (whole.const !== undefined) return `\`${whole.const}\``;
  const choices = whole.anyOf ?? whole.oneOf;
  if (choices) return [...new Set(choices.map((choice) => typeOf(documented, choice)))].join(' or ');
  if (whole.type === 'array') return `list of ${whole.items ? typeOf(documented, whole.items) : 'values'}`;
  const type = Array.isArray(whole.type) ? whole.type.join(' or ') : (whole.type ?? 'any');
  return whole.format ? `${type} (${whole.format})` : type;
}

export function referenceIndex(pages: readonly ReferencePage[]): string {
  const groups = [...new Set(pages.map(({ group }) => group))];
  return [
    '# API reference',
    'Every operation of the API host, the auth host and status pages, with a request in curl, TypeScript, Python and Go. It is made from the OpenAPI descriptions, which each host serves at `/openapi.json`, and that of status pages at `/api/status/openapi.json`. [Conventions of the API](/api) has what all of them share, and [errors](/errors/) what may go wrong.',
    'The samples read `API_URL`, `AUTH_URL` and `STATUS_URL`, the addresses of the hosts, and `TOKEN`, a session token or a management token. TypeScript uses [`@latchkey/api`](/sdk/api), and Python the package `requests`. Their values are examples.',
    ...groups.flatMap((group) => [
      `## ${group}`,
      pages
        .filter((page) => page.group === group)
        .map(
          ({ title, path, operations }) =>
            `- [${title}](/${path.replace(/\.md$/, '')}): ${operations.length} operations`,
        )
        .join('\n')
        .replaceAll(': 1 operations', ': 1 operation'),
    ]),
  ].join('\n\n');
}

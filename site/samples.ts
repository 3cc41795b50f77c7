import { type ExampleRequest, requestOf } from './examples.ts';
import type { Documented } from './openapi.ts';

/** A request to an operation in one language. */
export type Sample = { language: 'sh' | 'ts' | 'python' | 'go'; name: string; code: string };

const ADDRESSES = { api: 'API_URL', auth: 'AUTH_URL', status: 'STATUS_URL' };
const CLIENTS = { api: 'createApiClient', auth: 'createAuthClient', status: 'createStatusClient' };

/** The same request in each language. */
export function samplesOf(documented: Documented): Sample[] {
  const request = requestOf(documented);
  return [
    { language: 'sh', name: 'curl', code: curl(documented, request) },
    { language: 'ts', name: 'TypeScript', code: typeScript(documented, request) },
    { language: 'python', name: 'Python', code: python(documented, request) },
    { language: 'go', name: 'Go', code: go(documented, request) },
  ];
}

/** The path with its values and its query. */
function target(path: string, { path: values, query }: ExampleRequest): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const asked = new URLSearchParams(textsOf(query)).toString();
  return asked === '' ? filled : `${filled}?${asked}`;
}

function textsOf(values: object): [name: string, text: string][] {
  return Object.entries(values).map(([name, value]) => [name, String(value)]);
}

function formOf(body: unknown): string {
  return new URLSearchParams(textsOf(Object(body))).toString();
}

function payload({ body, form }: ExampleRequest): { type: string; text: string } | null {
  if (body === undefined) return null;
  return form
    ? { type: 'application/x-www-form-urlencoded', text: formOf(body) }
    : { type: 'application/json', text: JSON.stringify(body) };
}

function curl({ host, method, path }: Documented, request: ExampleRequest): string {
  const sent = payload(request);
  const verb = method === 'get' ? '' : `-X ${method.toUpperCase()} `;
  return [
    `curl ${verb}"$${ADDRESSES[host]}${target(path, request)}"`,
    ...(request.secured ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(sent ? [`-H 'Content-Type: ${sent.type}'`, `-d '${sent.text.replaceAll("'", "'\\''")}'`] : []),
  ].join(' \\\n  ');
}

function typeScript({ host, method, path }: Documented, request: ExampleRequest): string {
  const options = {
    ...(Object.keys(request.path).length > 0 && { path: request.path }),
    ...(Object.keys(request.query).length > 0 && { query: request.query }),
    ...(request.body !== undefined && { [request.form ? 'form' : 'body']: request.body }),
  };
  const shown = Object.keys(options).length === 0 ? '' : `, ${literal(options)}`;
  const client = CLIENTS[host];
  const token = request.secured ? ', token' : '';
  return [
    `import { ${client} } from '@latchkey/api';`,
    '',
    `const client = ${client}({ baseUrl${token} });`,
    `const { data } = await client.${method}('${path}'${shown});`,
  ].join('\n');
}

/** A value as TypeScript, on lines of its own where it is long. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string')
    return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const deeper = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, deeper))
    : Object.entries(value).map(
        ([name, part]) => `${/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`}: ${literal(part, deeper)}`,
      );
  const [open, close, gap] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', ' '];
  const short = parts.length === 0 ? `${open}${close}` : `${open}${gap}${parts.join(', ')}${gap}${close}`;
  if (short.length < 70 && !short.includes('\n')) return short;
  return `${open}\n${parts.map((part) => `${deeper}${part},\n`).join('')}${indent}${close}`;
}

function python({ host, method, path }: Documented, request: ExampleRequest): string {
  const sent = payload(request);
  const values = request.form ? `data=${pythonValue(request.body)}` : `json=${pythonValue(request.body)}`;
  return [
    'import os',
    'import requests',
    '',
    `response = requests.${method}(`,
    `    os.environ["${ADDRESSES[host]}"] + "${target(path, request)}",`,
    ...(request.secured ? ['    headers={"Authorization": "Bearer " + os.environ["TOKEN"]},'] : []),
    ...(sent ? [`    ${values},`] : []),
    ')',
    'response.raise_for_status()',
  ].join('\n');
}

function pythonValue(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, part]) => `${JSON.stringify(name)}: ${pythonValue(part)}`)
    .join(', ')}}`;
}

function go({ host, method, path }: Documented, request: ExampleRequest): string {
  const sent = payload(request);
  const imports = ['fmt', 'log', 'net/http', 'os', ...(sent ? ['strings'] : [])];
  const body = sent ? `strings.NewReader(${goText(sent.text)})` : 'nil';
  return [
    'package main',
    '',
    'import (',
    ...imports.map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    `\trequest, err := http.NewRequest("${method.toUpperCase()}", os.Getenv("${ADDRESSES[host]}")+"${target(path, request)}", ${body})`,
    '\tif err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    ...(request.secured ? ['\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))'] : []),
    ...(sent ? [`\trequest.Header.Set("Content-Type", "${sent.type}")`] : []),
    '\tresponse, err := http.DefaultClient.Do(request)',
    '\tif err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    '\tdefer response.Body.Close()',
    '\tfmt.Println(response.Status)',
    '}',
  ].join('\n');
}

function goText(text: string): string {
  return text.includes('`') ? JSON.stringify(text) : `\`${text}\``;
}

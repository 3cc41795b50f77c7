import { type ErrorCode, errorCodes, problemPath, problems } from '../server/platform/problem.ts';
import { errorsOf } from './openapi.ts';
import { operationLink, type ReferencePage } from './reference.ts';

/** What to do about an error, by its status. The default `detail` of a code says more where it can. */
const ADVICE: Readonly<Record<number, string>> = {
  400: 'Correct the request. Sending it again unchanged has the same result.',
  401: 'Get a fresh token: refresh the session, sign in again, or request a new management token. Then repeat the request.',
  402: 'Activate the add-on or raise its tier in the console, under "SMS add-on".',
  403: 'The caller is known and may not do this. Use another token or grant what is missing; repeating the request does not help.',
  404: 'Check the id, and that the token belongs to the same project and environment.',
  405: 'Use a method that the header `Allow` names.',
  408: 'Send the request again. If it happens often, look at the proxy or network in between.',
  409: 'Read the record again, decide whether the change still makes sense, and repeat it or give it up.',
  412: 'Read the record again and send its new `ETag` as `If-Match`.',
  413: 'Send less: fewer records in a request, or a smaller file.',
  415: 'Set the header `Content-Type` to a media type that the operation takes.',
  421: 'Use an address from the configuration, or add a custom domain.',
  429: 'Wait as long as `Retry-After` says. Clients that repeat by themselves must read this header.',
  431: 'Send fewer or shorter headers; cookies are the usual reason.',
  500: 'Report it to the operator of the installation with the `traceId`. The log has the cause.',
  503: 'Repeat the request after `Retry-After`. If it lasts, look at the status page.',
};

/** The pages of all error codes, by their path. */
export function errorPages(pages: readonly ReferencePage[]): Map<string, string> {
  const returnedBy = operationsByCode(pages);
  const written = errorCodes.map((code): [string, string] => [
    `errors/${code}.md`,
    errorPage(code, returnedBy.get(code) ?? []),
  ]);
  return new Map([['errors/index.md', errorIndex()], ...written]);
}

function operationsByCode(pages: readonly ReferencePage[]): Map<string, string[]> {
  const returnedBy = new Map<string, string[]>();
  for (const page of pages)
    for (const documented of page.operations)
      for (const code of errorsOf(documented).flatMap(({ codes }) => codes)) {
        const { summary } = documented.operation;
        const links = returnedBy.get(code) ?? [];
        returnedBy.set(code, [...links, `- [${summary}](${operationLink(page, documented)})`]);
      }
  return returnedBy;
}

/** Nearly every operation returns some codes; a list of all of them would say nothing. */
const MAX_LISTED = 60;

function errorPage(code: ErrorCode, operations: readonly string[]): string {
  const { status, title, detail } = problems[code];
  const advice = ADVICE[status];
  if (advice === undefined) throw new Error(`Say in site/errors.ts what to do about status ${status} (${code})`);
  const returned =
    operations.length === 0
      ? 'No operation of the [reference](/reference/) names it: a host returns it before a route is known, or an operation of the console does.'
      : operations.length > MAX_LISTED
        ? `${operations.length} operations of the [reference](/reference/) may return it.`
        : operations.join('\n');
  return [
    `# ${code}`,
    `**${title}.** HTTP status ${status}. The \`type\` of the problem ends with \`${problemPath(code)}\`.`,
    '## What it means',
    detail,
    'The `detail` of the problem describes your case; it may be more exact than this sentence.',
    '## What to do',
    advice,
    'Programs read `errorCode`. Quote the `traceId` when you report a problem. [Errors](/api#errors) says what all of them have in common.',
    '## Which operations return it',
    returned,
  ].join('\n\n');
}

function errorIndex(): string {
  const rows = errorCodes
    .toSorted((one, other) => problems[one].status - problems[other].status)
    .map((code) => `| [\`${code}\`](/errors/${code}) | ${problems[code].status} | ${problems[code].title} |`);
  return [
    '# Errors',
    'Every `errorCode` of a [problem](/api#errors), with what it means, what to do, and which operations return it.',
    ['| code | status | |', '| --- | --- | --- |', ...rows].join('\n'),
  ].join('\n\n');
}

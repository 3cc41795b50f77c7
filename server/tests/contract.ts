import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { System } from '#platform/system.ts';

type Response = { $ref?: string; description?: string; content?: Record<string, { schema?: unknown }> };
type Described = {
  paths: Record<string, Record<string, { responses?: Record<string, Response> }>>;
  components?: { responses: Record<string, Response> };
};
type Route = { template: string; pattern: RegExp };

/** The prefix of references to shared responses. */
const SHARED = '#/components/responses/';

/** A response as a test received it. */
type ReceivedResponse = { method: string; path: string; status: number; type: string; text: string };

/** The responses of one host according to its OpenAPI description. */
export class Contract {
  readonly #document: Described;
  readonly #routes: readonly Route[];
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: Described) {
    this.#document = document;
    // Paths without parameters first: `/members/import` is not a member.
    this.#routes = Object.keys(document.paths)
      .sort((a, b) => a.split('{').length - b.split('{').length)
      .map((template) => ({
        template,
        pattern: new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
      }));
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(document, 'openapi');
  }

  /** Fails for a response that the description does not allow; ignores paths that are not described. */
  check({ method, path, status, type, text }: ReceivedResponse): void {
    const route = this.#routes.find(({ pattern }) => pattern.test(path));
    const responses = route && this.#document.paths[route.template]?.[method.toLowerCase()]?.responses;
    if (!route || !responses) return;
    const about = `${method} ${route.template} answered ${status}`;
    const name = responses[status]?.$ref?.slice(SHARED.length);
    const response = name === undefined ? responses[status] : this.#document.components?.responses[name];
    assert.ok(response, `${about}, which its description does not know: ${text.slice(0, 300)}`);
    if (text === '') return;
    const [mediaType = ''] = type.split(';', 1);
    if (mediaType !== 'application/json' && mediaType !== 'application/problem+json') return;
    const body: unknown = JSON.parse(text);
    const own = ['paths', route.template, method.toLowerCase(), 'responses', status];
    const place = name === undefined ? own : ['components', 'responses', name];
    if (response.content?.[mediaType]?.schema !== undefined)
      this.#validate([...place, 'content', mediaType, 'schema'], body, about);
    else assert.ok(response.content?.[mediaType], `${about} as ${mediaType}, which its description does not know`);
    if (mediaType === 'application/problem+json') {
      const { errorCode } = Object(body);
      assert.ok(
        response.description?.includes(`\`${errorCode}\``),
        `${about} ${errorCode}, which its description does not know`,
      );
    }
  }

  #validate(pointer: readonly (string | number)[], body: unknown, about: string): void {
    const path = pointer.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1'));
    const ref = `openapi#/${path.map(encodeURIComponent).join('/')}`;
    const validate = this.#compiled.get(ref) ?? this.#ajv.compile({ $ref: ref });
    this.#compiled.set(ref, validate);
    assert.ok(
      validate(body),
      `${about} with a body its description does not allow: ${this.#ajv.errorsText(validate.errors)}`,
    );
  }
}

const contracts = new Map<string, Promise<Contract>>();

/**
 * The contract of the host at an address, read once.
 * @param kind hosts of one kind have the same contract in every environment
 */
function contractOf(kind: string, origin: string): Promise<Contract> {
  const known = contracts.get(kind);
  if (known) return known;
  const made = fetch(`${origin}/openapi.json`).then(async (response) => {
    const text = await response.text();
    const document: Described = JSON.parse(text);
    return new Contract(document);
  });
  contracts.set(kind, made);
  return made;
}

/** Fails for a response of an auth or API host that the host's OpenAPI description does not allow. */
export async function expectContract(
  { config: { addresses } }: Pick<System, 'config'>,
  { method, url, response, text }: { method: string; url: URL; response: globalThis.Response; text: string },
): Promise<void> {
  const kinds = ['auth', 'api'] as const;
  const kind = kinds.find((name) => [addresses.test[name], addresses.production[name]].includes(url.origin));
  if (!kind) return;
  const type = response.headers.get('content-type') ?? '';
  (await contractOf(kind, url.origin)).check({ method, path: url.pathname, status: response.status, type, text });
}

import type { FastifyInstance } from 'fastify';

/** The methods that each address of a host takes, so that another one is told which (RFC 9110 §15.5.6). */
export class Methods {
  readonly #byPath = new Map<string, { pattern: RegExp; methods: Set<string> }>();

  /** @param app its routes are noted while they are registered */
  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ url, method }) => {
      // Only preflights are asked of every address.
      if (url !== '*') this.#add(url, [method].flat());
    });
  }

  /** The methods of an address, in the order of the alphabet; none where there is no such address. */
  of(path: string): string[] {
    const found = [...this.#byPath.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort();
  }

  #add(url: string, methods: readonly string[]): void {
    const known = this.#byPath.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const method of methods) known.methods.add(method);
    this.#byPath.set(url, known);
  }
}

/** `/members/:memberId` → `^/members/[^/]+$`, `/reference/*` → `^/reference/.*$` */
export function patternOf(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    return part === '*' ? '.*' : RegExp.escape(part);
  });
  return new RegExp(`^${parts.join('/')}$`);
}

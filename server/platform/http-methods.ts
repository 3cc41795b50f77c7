import type { FastifyInstance } from 'fastify';

/** The methods of each path of a host, for the `Allow` header of a 405 (RFC 9110 §15.5.6). */
export class Methods {
  readonly #byPath = new Map<string, { pattern: RegExp; methods: Set<string> }>();

  /** @param app the app whose routes are recorded while they are registered */
  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ url, method }) => {
      // Only CORS preflights have a route for every path.
      if (url !== '*') this.#add(url, [method].flat());
    });
  }

  /** The methods of a path in alphabetical order; empty for an unknown path. */
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

import type { Presented } from './authorization.ts';

/** A request of Node.js, Express, Fastify or NestJS. Express keeps the whole path of a request in `originalUrl`. */
export type NodeRequest = {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  method?: string | undefined;
  url?: string | undefined;
  originalUrl?: string | undefined;
};

export function presentedBy({ headers, method = '', url = '', originalUrl = url }: NodeRequest): Presented {
  const { authorization, dpop } = headers;
  return { authorization: textOf(authorization), dpop: textOf(dpop), method, path: originalUrl };
}

function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

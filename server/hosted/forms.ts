import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { App, Reply, Request } from '#platform/http.ts';
import { requireOwnPage } from '#platform/http-own-page.ts';
import { problem } from '#platform/problem.ts';
import { deadPage } from './dead.ts';
import { explain, type Flow, flowOf } from './flow.ts';

const hidden = { hide: true } as const;
const config = { permission: 'public' } as const;
const FlowRef = Type.Object({
  uid: Type.String({ maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' }),
  provider: Type.Optional(Type.String({ maxLength: 50, pattern: '^[a-z0-9][a-z0-9-]*$' })),
});

/** A page of the sign-in: looks at where the person stands, and shows it. */
export function page(app: App, path: string, look: (flow: Flow) => Promise<Reply> | Reply): void {
  app.get(`/sign-in/:uid${path}`, { config, schema: { ...hidden, params: FlowRef } }, (request, reply) =>
    inFlow(request, reply, look),
  );
}

type Action<Fields extends TSchema> = {
  fields: Fields;
  act: (flow: Flow, sent: Static<Fields>) => Promise<Reply> | Reply;
  /** The page of the form, where it is not at the form's own address. */
  back?: string;
};

/** A form of the sign-in. What does not fit `fields` leads back to its page, which says so. */
export function action<Fields extends TSchema>(
  app: App,
  path: string,
  { fields, act, back = path }: Action<Fields>,
): void {
  app.post(`/sign-in/:uid${path}`, { config, schema: { ...hidden, params: FlowRef } }, (request, reply) =>
    inFlow(request, reply, async (flow) => {
      requireOwnPage(request);
      const { body } = request;
      return Value.Check(fields, body) ? act(flow, body) : explain(flow, back, problem('VALIDATION_FAILED'));
    }),
  );
}

async function inFlow(request: Request, reply: Reply, work: (flow: Flow) => Promise<Reply> | Reply): Promise<Reply> {
  const flow = await flowOf(request, reply).catch((error: unknown) => error);
  if (isFlow(flow)) return work(flow);
  return deadPage(request, reply, flow);
}

function isFlow(value: unknown): value is Flow {
  return typeof value === 'object' && value !== null && 'interaction' in value;
}

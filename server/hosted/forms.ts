import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Reply, Request } from '#platform/http.ts';
import { forms } from '#platform/http-body.ts';
import { requireOwnPage } from '#platform/http-own-page.ts';
import { problem } from '#platform/problem.ts';
import { get, post, type Route } from '#platform/route.ts';
import { deadPage } from './dead.ts';
import { explain, type Flow, flowOf } from './flow.ts';

const FlowRef = Type.Object({
  uid: Type.String({ maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' }),
  provider: Type.Optional(Type.String({ maxLength: 50, pattern: '^[a-z0-9][a-z0-9-]*$' })),
});

/** A page of the sign-in: looks at where the person stands, and shows it. */
export function page(path: string, look: (flow: Flow) => Promise<Reply> | Reply): Route {
  return get(`/sign-in/:uid${path}`, {
    permission: 'public',
    params: FlowRef,
    handler: (request, reply) => inFlow(request, reply, look),
  });
}

type Action<Fields extends TSchema> = {
  fields: Fields;
  act: (flow: Flow, sent: Static<Fields>) => Promise<Reply> | Reply;
  /** The page of the form, where it is not at the form's own address. */
  back?: string;
  counted?: 'password';
};

/** A form of the sign-in. What does not fit `fields` leads back to its page, which says so. */
export function action<Fields extends TSchema>(
  path: string,
  { fields, act, back = path, counted }: Action<Fields>,
): Route {
  return post(`/sign-in/:uid${path}`, {
    permission: 'public',
    counted: counted ?? 'proof',
    params: FlowRef,
    plugin: forms,
    handler: (request, reply) =>
      inFlow(request, reply, async (flow) => {
        requireOwnPage(request);
        const { body } = request;
        return Value.Check(fields, body) ? act(flow, body) : explain(flow, back, problem('VALIDATION_FAILED'));
      }),
  });
}

async function inFlow(request: Request, reply: Reply, work: (flow: Flow) => Promise<Reply> | Reply): Promise<Reply> {
  const flow = await flowOf(request, reply).catch((error: unknown) => error);
  if (isFlow(flow)) return work(flow);
  return deadPage(request, reply, flow);
}

function isFlow(value: unknown): value is Flow {
  return typeof value === 'object' && value !== null && 'interaction' in value;
}

import { Type } from 'typebox';
import { browserRoutes } from '#pages';
import { IdSchema } from '#platform/ids.ts';
import { deadPage } from './dead.ts';
import { explain, type Flow, flowOf } from './flow.ts';

const FlowRef = Type.Object({
  uid: Type.String({ maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' }),
  connectionId: Type.Optional(IdSchema('con')),
  provider: Type.Optional(Type.String({ maxLength: 50, pattern: '^[a-z0-9][a-z0-9-]*$' })),
});

/** Pages and forms of one sign-in, for the browser that started it. */
export const { page, action } = browserRoutes<Flow, typeof FlowRef>({
  path: '/sign-in/:uid',
  params: FlowRef,
  explain,
  enter: async ({ request, reply }, work) => {
    const flow = await flowOf(request, reply).catch((error: unknown) => error);
    return isFlow(flow) ? work(flow) : deadPage(request, reply, flow);
  },
});

function isFlow(value: unknown): value is Flow {
  return typeof value === 'object' && value !== null && 'interaction' in value;
}

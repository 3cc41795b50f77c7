import type { Task } from 'graphile-worker';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { IdSchema } from '#platform/ids.ts';
import type { Deliverer } from './deliverer.ts';

const reference = Compile(Type.Object({ workspaceId: IdSchema('wrk'), endpointId: IdSchema('whe') }));

/** Has an endpoint looked after. The job ends at once: what is due stands in the database, not in the job. */
export function deliverWebhooksTask(deliverer: Deliverer): Task {
  return async (payload) => deliverer.wake(reference.Parse(payload));
}

import type { Task } from 'graphile-worker';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { IdSchema } from '#platform/ids.ts';
import type { Deliverer } from './deliverer.ts';

const references = Compile(Type.Array(Type.Object({ workspaceId: IdSchema('wrk'), endpointId: IdSchema('whe') })));

/** Wakes the endpoints. The job ends immediately: the due deliveries are rows, not jobs. */
export function deliverWebhooksTask(deliverer: Deliverer): Task {
  return async (payload) => {
    for (const reference of references.Parse(payload)) deliverer.wake(reference);
  };
}

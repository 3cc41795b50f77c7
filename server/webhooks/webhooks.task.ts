import type { Task } from 'graphile-worker';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { IdSchema } from '#platform/ids.ts';
import type { Deliverer } from './deliverer.ts';

const references = Compile(Type.Array(Type.Object({ workspaceId: IdSchema('wrk'), endpointId: IdSchema('whe') })));

/** Has endpoints looked after. The job ends at once: what is due stands in the database, not in the job. */
export function deliverWebhooksTask(deliverer: Deliverer): Task {
  return async (payload) => {
    for (const reference of references.Parse(payload)) deliverer.wake(reference);
  };
}

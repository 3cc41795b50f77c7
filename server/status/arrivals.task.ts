import type { Task } from 'graphile-worker';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { receiverOfMessage } from '#messages';
import { IdSchema } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import { heedArrivals } from './suspensions.ts';

const Report = Compile(
  Type.Object({
    scope: Type.Object({
      workspaceId: IdSchema('wrk'),
      projectId: IdSchema('prj'),
      environment: Type.Enum(['test', 'production']),
    }),
    messageId: IdSchema('msg'),
    arrival: Type.Enum(['reached', 'unreached', 'refused']),
  }),
);

/** Takes what carriers report of the text messages of status pages. */
export function messageArrivalTask(system: System): Task {
  const heed = heedArrivals(system);
  return async (payload) => {
    const { scope, messageId, arrival } = Report.Parse(payload);
    const receiver = await receiverOfMessage(system, scope, messageId);
    if (receiver) await heed({ scope, ...receiver }, arrival);
  };
}

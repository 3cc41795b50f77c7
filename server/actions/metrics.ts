import { counter, durations, type Metric } from '#platform/metrics.ts';

export const callsMade = counter({
  name: 'latchkey_action_calls_total',
  help: 'Calls of actions, by moment and result. `failed`: the response was no answer, or did not come in time; `not_called`: too many calls were in progress, or the last ones got no response.',
  labels: {
    moment: ['registration', 'sign_in', 'token', 'message', 'password'],
    result: ['allow', 'refuse', 'failed', 'not_called'],
  },
});

export const callDurations = durations({
  name: 'latchkey_action_call_duration_seconds',
  help: 'How long actions took to answer, or to fail.',
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

export const metrics: readonly Metric[] = [callsMade, callDurations];

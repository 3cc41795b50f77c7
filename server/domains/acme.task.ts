import type { Task } from 'graphile-worker';
import type { System } from '#platform/system.ts';
import { orderCertificates } from './acme.ts';

export function orderCertificatesTask(system: System): Task {
  return () => orderCertificates(system);
}

import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { orderCertificatesTask } from './acme.task.ts';
import { orderCertificates } from './acme.ts';
import { recheckDomains } from './domain-checks.ts';

export const domainsPart = {
  removals: [rowsOfProject('domains', 'domain_bindings', 'domain_certificates')],
  cleanUps: { recheckDomains, orderCertificates },
  tasks: { order_certificates: orderCertificatesTask },
} satisfies Part;

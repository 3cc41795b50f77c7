import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { orderCertificates } from './acme.ts';
import { recheckDomains } from './domain-checks.ts';

export const domainsPart: Part = {
  removals: [rowsOfProject('domains', 'domain_bindings', 'domain_certificates')],
  cleanUps: { recheckDomains, orderCertificates },
};

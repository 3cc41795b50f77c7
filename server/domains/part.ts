import { sql } from 'kysely';
import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { orderCertificatesTask } from './acme.task.ts';
import { orderCertificates } from './acme.ts';
import { recheckDomains } from './domain-checks.ts';
import { domainRoutes } from './domains.admin.ts';
import { events } from './events.ts';
import { metrics } from './metrics.ts';

export const part = {
  events,
  routes: {
    admin: domainRoutes,
  },
  permissions: {
    'domains:read': 'See domains',
    'domains:write': 'Add, verify, bind and remove domains',
  },
  sealed: {
    'domain-certificate': sealedIn('domain_certificates', 'key_sealed', sql.ref('domain_id')),
    'acme-account': sealedIn('acme_accounts', 'key_sealed', sql.ref('directory')),
  },
  removals: [rowsOfProject('domains', 'domain_bindings', 'domain_certificates')],
  cleanUps: { recheckDomains, orderCertificates },
  tasks: { order_certificates: orderCertificatesTask },
  metrics,
} satisfies Part;

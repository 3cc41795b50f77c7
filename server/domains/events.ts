import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

const Domain = Type.Object({ domainId: text, host: text, organizationId: Type.Optional(text) });
const domain = { domainId: 'dom_01kaz3w9hqf8p9n2m4v5x6y7z8', host: 'login.example.com' };
const DomainFault = Type.Object({ ...Domain.properties, fault: text });
const DomainBinding = Type.Object({ ...Domain.properties, purpose: text });
const fault = 'There is no TXT record at _latchkey-verification.login.example.com.';

export const events = {
  'domain.created': define('A domain was added; it serves nothing until it is verified.', Domain, domain),
  'domain.verified': define('A domain was verified.', Domain, domain),
  'domain.checked': define('The proof of a verified domain was looked up on request, and found.', Domain, domain),
  'domain.check_failed': define(
    'The TXT record of a verified domain was not found. It is looked up again after an hour; if it is still missing, the domain is lost.',
    DomainFault,
    { ...domain, fault },
  ),
  'domain.lost': define(
    'The TXT record of a domain is missing: the domain serves nothing until it is verified again.',
    DomainFault,
    {
      ...domain,
      fault,
    },
  ),
  'domain.deleted': define('A domain was removed; it serves nothing from now on.', Domain, domain),
  'domain.bound': define('A domain became an auth or API address of the project.', DomainBinding, {
    ...domain,
    purpose: 'auth',
  }),
  'domain.unbound': define('A domain is no longer an auth or API address.', DomainBinding, {
    ...domain,
    purpose: 'auth',
  }),
  'domain.certificate.issued': define(
    'A domain has a new certificate.',
    Type.Object({ ...Domain.properties, notAfter: text }),
    { ...domain, notAfter: '2026-04-01T00:00:00.000Z' },
  ),
  'domain.certificate.failed': define(
    'No certificate was issued for a domain; Latchkey orders it again later.',
    DomainFault,
    { ...domain, fault: 'Timeout during connect (likely firewall problem)' },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

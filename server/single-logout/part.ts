import { sql } from 'kysely';
import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { removeLogins } from './logins.ts';

export const part = {
  sealed: {
    'saml-login': sealedIn('saml_logins', 'sealed', sql.ref('id')),
    'saml-logout': sealedIn('saml_logouts', 'sealed', sql`encode(state_hash, 'hex')`),
  },
  removals: [rowsOfProject('saml_logins'), rowsOfProject('saml_logouts')],
  sessions: { ended: removeLogins },
  cleanUps: { 'SAML logins': expiredRowsOf('saml_logins'), 'SAML logouts': expiredRowsOf('saml_logouts') },
} satisfies Part;

import { sql } from 'kysely';
import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { removeParticipants } from './participants.ts';

export const part = {
  sealed: {
    'saml-participant': sealedIn('saml_participants', 'sealed', sql`application_id || ' ' || session_id`),
    'saml-round': sealedIn('saml_rounds', 'sealed', sql`encode(state_hash, 'hex')`),
  },
  removals: [rowsOfProject('saml_participants'), rowsOfProject('saml_rounds'), rowsOfProject('saml_used_requests')],
  sessions: { ended: removeParticipants },
  cleanUps: {
    'participants of sessions by SAML': expiredRowsOf('saml_participants'),
    'rounds of logouts by SAML': expiredRowsOf('saml_rounds'),
    'requests to log out by SAML': expiredRowsOf('saml_used_requests'),
  },
} satisfies Part;

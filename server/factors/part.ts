import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace, rowsSince } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { events } from './events.ts';

export const part = {
  events,
  sealed: { 'totp-seed': sealedIn('mfa_factors', 'secret_sealed') },
  removals: [rowsOfWorkspace('mfa_factors')],
  reclaim: rowsSince('mfa_factors', 'created_at'),
} satisfies Part;

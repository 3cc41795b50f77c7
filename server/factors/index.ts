import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace, rowsSince } from '#platform/removal.ts';
import { events } from './events.ts';

export {
  addPhoneFactor,
  checkTotp,
  confirmTotp,
  enrolTotp,
  type FactorId,
  factorUsed,
  findFactor,
  findTotp,
  listFactors,
  removeAllFactors,
  removeFactor,
  withFactors,
} from './mfa-factors.ts';
export {
  enrolledSecondFactors,
  guardingSecondFactors,
  type SecondFactor,
} from './second-factors.ts';

export const part = {
  events,
  removals: [rowsOfWorkspace('mfa_factors')],
  reclaim: rowsSince('mfa_factors', 'created_at'),
} satisfies Part;

import type { Part } from '#platform/part.ts';
import { sealedIn } from '#platform/sealed.ts';
import { metrics } from './metrics.ts';
import { rotateDueKeys } from './rotation.ts';

export const part = {
  sealed: { 'signing-key': sealedIn('signing_keys', 'private_sealed') },
  cleanUps: { rotateDueKeys },
  metrics,
} satisfies Part;

import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';

export const federationPart = {
  removals: [rowsOfProject('upstream_flows')],
  cleanUps: { 'expired upstream flows': expiredRowsOf('upstream_flows') },
} satisfies Part;

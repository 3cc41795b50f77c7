export { kinds } from './kinds.ts';
export { type MappingReport, startReport } from './mapping-report.ts';
export { outgoing, writtenFor } from './moving-out.ts';
export { openSource, type Source } from './people.ts';
export { reportText } from './report-text.ts';
export { rowOf, type Target } from './rows.ts';

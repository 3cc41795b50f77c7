export { dailyFigures } from './figures.ts';
export { countMail, figuresByKey } from './figures-by-key.ts';
export { part } from './part.ts';

export { dailyFigures } from './figures.ts';
export { part } from './part.ts';

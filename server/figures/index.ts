export { dailyFigures } from './figures.ts';
export { figuresPart } from './part.ts';
export { routes } from './routes.ts';

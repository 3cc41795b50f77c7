export { dailyFigures } from './figures.ts';
export { inboxRoutes, overviewRoutes } from './overview.console.ts';
export { figuresPart } from './part.ts';

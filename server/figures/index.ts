export { dailyFigures, forgetActivePeople } from './figures.ts';
export { inboxRoutes, overviewRoutes } from './overview.console.ts';

export { startHeartbeat } from './heartbeat.ts';
export { boardOf, startProber } from './prober.ts';
export { statusRoutes } from './summary.public.ts';

export { seedComponents } from './components.ts';
export { startHeartbeat } from './heartbeat.ts';
export { startMonitor } from './monitor.ts';
export { quarantineRefused } from './notices.task.ts';
export { part } from './part.ts';
export { statusReceivers } from './receivers.ts';
export { countSignIns, startCounting } from './signals.ts';
export { sentence as statusSentence } from './summary.ts';
export { currentView, startViews } from './views.ts';

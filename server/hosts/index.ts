export { createConsoleHost } from './console-host.ts';
export { connectionsNeeded } from './database.ts';
export { createDemo, type Demo } from './demo.ts';
export { type Latchkey, startLatchkey, withSystem } from './latchkey.ts';
export { served } from './routes.ts';
export { createStatusDomains } from './status-domains.ts';

export { createConsoleHost } from './console-host.ts';
export type { Demo } from './demo.ts';
export { type Latchkey, type StartOptions, startLatchkey } from './latchkey.ts';

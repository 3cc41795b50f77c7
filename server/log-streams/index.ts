export { part } from './part.ts';
export { Streamer } from './streamer.ts';

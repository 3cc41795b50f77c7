export { lifecyclePart } from './part.ts';
export { PARTS } from './parts.ts';
export { routes } from './routes.ts';

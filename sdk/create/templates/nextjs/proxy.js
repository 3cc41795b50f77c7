export { proxy } from './latchkey.js';

/** All pages and route handlers: the session is renewed before they are rendered. */
export const config = { matcher: ['/((?!_next/static|_next/image|favicon.ico).*)'] };

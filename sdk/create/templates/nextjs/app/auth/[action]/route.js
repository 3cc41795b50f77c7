import { handlers } from '../../../latchkey.js';

export const { GET, POST } = handlers;

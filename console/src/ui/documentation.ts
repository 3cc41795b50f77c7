import { createContext } from 'react';

/** The address of the documentation of the open screen. */
export const Documentation = createContext('/docs/');

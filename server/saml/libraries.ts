import { createRequire } from 'node:module';

/** The libraries of XML, loaded at first use: they take several megabytes, and most installations read no message. */
const require = createRequire(import.meta.url);

export const xmlLibrary = (): typeof import('@xmldom/xmldom') => require('@xmldom/xmldom');

export const signatureLibrary = (): typeof import('xml-crypto') => require('xml-crypto');

export const encryptionLibrary = (): typeof import('xml-encryption') => require('xml-encryption');

/** The country of the address that a session began from. */
export const up = 'alter table sessions add column country text';

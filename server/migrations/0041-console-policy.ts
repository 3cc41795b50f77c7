/**
 * How an operator was admitted to the console, so that a stricter policy is noticed. Null: a session of an older version, which counts
 * as one factor under an unknown policy.
 */
export const up = `
alter table console_sessions add column acr text;
alter table console_sessions add column admitted_under text;
alter table console_sessions add column on_device boolean;
`;

/**
 * When a session last proved a second factor. Earlier sessions with more than one factor count it from their sign-in.
 * An older process leaves the column empty, so people are only asked for the factor once more.
 */
export const up = `
alter table sessions add column second_factor_at timestamptz;
update sessions set second_factor_at = auth_time where acr <> 'aal1';
`;

/**
 * When a session last proved a second factor. Sessions of before count it from their sign-in where they reached more than one
 * factor; a process of before leaves it empty, which only asks its people for the factor once more.
 */
export const up = `
alter table sessions add column second_factor_at timestamptz;
update sessions set second_factor_at = auth_time where acr <> 'aal1';
`;

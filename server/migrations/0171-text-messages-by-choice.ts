/** A status page offers text messages only once its team says so, because they cost. */
export const up = `
alter table status_boards add column text_messages boolean not null default false;
`;

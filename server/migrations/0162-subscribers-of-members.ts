export const concurrently = true;

export const up = `
create index concurrently status_subscribers_of_member on status_subscribers (user_id, workspace_id) where user_id is not null;
`;

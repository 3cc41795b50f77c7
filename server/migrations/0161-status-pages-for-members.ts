/**
 * A status page may be for the members of its project alone. Such a page is `shown_to_members` and never `published`, so
 * earlier versions, which know no members' pages, show it to nobody (docs/decisions/0291).
 */
export const up = `
alter table status_boards
  add column audience text not null default 'public' check (audience in ('public', 'members')),
  add column shown_to_members boolean not null default false;
-- Earlier versions: they know no page for members. Publishing one there fails instead of opening it to everybody.
alter table status_boards add constraint status_boards_members_unpublished check (audience = 'public' or not published);
alter table status_subscribers add column user_id text;
`;

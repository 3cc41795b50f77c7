/**
 * The evidence and the policy of sessions and their entries, so that an entry is checked again when its project
 * requires more.
 */
export const up = `
-- The remembered device that replaced the second factor, if any. No foreign key: the device may be removed, its use stays.
alter table sessions add column remembered_device text;
-- settings.mfa of the project when the entry was admitted; null: admitted before this was recorded.
alter table scope_entries add column admitted_under text check (admitted_under in ('off', 'optional', 'required'));
`;

/**
 * The evidence and the policy of sessions and their entries, so that an entry is checked again when its project
 * requires more.
 */
export const up = `
-- The remembered device that stood for the second factor; null where none did. No foreign key: a device is forgotten, its use is not.
alter table sessions add column remembered_device text;
-- settings.mfa of the project when the entry was admitted; null: from before this was kept.
alter table scope_entries add column admitted_under text check (admitted_under in ('off', 'optional', 'required'));
`;

/** The effect of a status update on components. */
export const up = `
-- [{ componentId, from, to }]: what they were shown as just before the update and just after. Null: from before this was kept.
alter table status_updates add column affected jsonb;
`;

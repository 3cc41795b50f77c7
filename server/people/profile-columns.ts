/** The fields of a profile that are one text each, with their columns. */
export const PROFILE_COLUMNS = [
  ['displayName', 'display_name'],
  ['givenName', 'given_name'],
  ['middleName', 'middle_name'],
  ['familyName', 'family_name'],
  ['nickname', 'nickname'],
  ['gender', 'gender'],
  ['picture', 'picture'],
  ['profile', 'profile'],
  ['website', 'website'],
  ['locale', 'locale'],
  ['zoneinfo', 'zoneinfo'],
  ['birthdate', 'birthdate'],
] as const;

export type ProfileField = (typeof PROFILE_COLUMNS)[number][0];
export type ProfileColumns = Record<(typeof PROFILE_COLUMNS)[number][1], string | null>;

/** Reads the fields from a row. */
export function profileOf(row: ProfileColumns): Record<ProfileField, string | null> {
  return {
    displayName: row.display_name,
    givenName: row.given_name,
    middleName: row.middle_name,
    familyName: row.family_name,
    nickname: row.nickname,
    gender: row.gender,
    picture: row.picture,
    profile: row.profile,
    website: row.website,
    locale: row.locale,
    zoneinfo: row.zoneinfo,
    birthdate: row.birthdate,
  };
}

/** The columns of the given fields; a column that is undefined is not written. */
export function columnsOf(profile: Partial<Record<ProfileField, string | null>>) {
  return {
    display_name: profile.displayName,
    given_name: profile.givenName,
    middle_name: profile.middleName,
    family_name: profile.familyName,
    nickname: profile.nickname,
    gender: profile.gender,
    picture: profile.picture,
    profile: profile.profile,
    website: profile.website,
    locale: profile.locale,
    zoneinfo: profile.zoneinfo,
    birthdate: profile.birthdate,
  };
}

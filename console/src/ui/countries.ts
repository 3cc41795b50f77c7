const names = new Intl.DisplayNames(['en'], { type: 'region' });

/** The name of a country by its code (ISO 3166-1 alpha-2). */
export function countryName(code: string): string {
  return names.of(code) ?? code;
}

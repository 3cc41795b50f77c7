/** The address of a logo for a preview: none while it is half typed, because the server would refuse it. */
export function previewedLogo(logoUrl: string | null): string {
  return logoUrl !== null && /^https?:\/\/\S+$/.test(logoUrl) && URL.canParse(logoUrl) ? logoUrl : '';
}

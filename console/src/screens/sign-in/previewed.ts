import type { BrandingImages } from '#api/records.ts';

/** An address for a preview: none while it is half typed, because the server would refuse it. */
export function previewedAddress(address: string | null): string | null {
  return address !== null && /^https?:\/\/\S+$/.test(address) && URL.canParse(address) ? address : null;
}

/** A text that changes when an image is uploaded or removed. */
export function versionOf({ logo, darkLogo, favicon }: BrandingImages): string {
  return [logo, darkLogo, favicon].map((image) => image?.url ?? '').join(' ');
}

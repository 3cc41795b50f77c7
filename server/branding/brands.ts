import { projectOf } from '#environments';
import type { Scope } from '#platform/ctx.ts';
import type { OrganizationId } from '#platform/ids.ts';
import type { SystemInTx } from '#platform/system.ts';
import type { Branding } from '#settings';
import { compileStyleSheet } from '#style-sheets';
import { knownImages } from './images.ts';
import { knownBranding, NO_BRANDING, type OrganizationBranding } from './organization-brandings.ts';

/** What pages and mails show: the project's branding, or an organization's in place of it. */
export type Brand = Branding & {
  name: string;
  /** Shown in the dark theme in place of the logo, if there is a logo. */
  darkLogoUrl: string | null;
  faviconUrl: string | null;
  /** True if the organization has a name but no logo of its own: the name then stands beside the project's logo. */
  besideLogo: boolean;
  /** What the style sheet of the project says, as CSS of ours. */
  sheet: string;
};

/** Changes that are not saved yet, for previews. */
type Unsaved = { branding?: Partial<Branding>; organization?: OrganizationBranding };

/**
 * The brand of everything that is shown to people in a project: its branding, with that of the organization in place of it,
 * field by field. An uploaded logo comes before the address of one. The organization is named where the person, the
 * application or the address has named it, and never found out by the address of a person.
 */
export async function brandOf(
  system: SystemInTx,
  scope: Scope,
  organizationId: OrganizationId | null,
  unsaved: Unsaved = {},
): Promise<Brand> {
  const { projectName, settings } = await projectOf(system, scope);
  const branding = { ...settings.branding, ...unsaved.branding };
  const images = await knownImages(system, { scope, organizationId: null });
  const own = await ownBrand(system, scope, organizationId, unsaved.organization);
  const projects = logosOf(images, branding.logoUrl);
  const { logoUrl, darkLogoUrl } = own.logoUrl === null ? projects : own;
  const ground = {
    accentColor: own.accentColor ?? branding.accentColor,
    backgroundColor: own.backgroundColor ?? branding.backgroundColor,
  };
  return {
    ...branding,
    ...ground,
    logoUrl,
    darkLogoUrl,
    faviconUrl: own.faviconUrl ?? own.logoUrl ?? projects.faviconUrl ?? logoUrl,
    sheet: branding.css ? (await compileStyleSheet(branding.css, ground)).css : '',
    name: own.name ?? projectName,
    besideLogo: own.name !== null && own.logoUrl === null,
  };
}

type Images = Awaited<ReturnType<typeof knownImages>>;
const NO_IMAGES: Images = { logo: null, darkLogo: null, favicon: null };

/** The brand of an organization. A field is null where it has none of its own. */
async function ownBrand(
  system: SystemInTx,
  scope: Scope,
  organizationId: OrganizationId | null,
  unsaved: OrganizationBranding | undefined,
) {
  const known = organizationId === null ? NO_BRANDING : await knownBranding(system, { scope, organizationId });
  const images = organizationId === null ? NO_IMAGES : await knownImages(system, { scope, organizationId });
  const branding = unsaved ?? known;
  return { ...branding, ...logosOf(images, branding.logoUrl) };
}

function logosOf({ logo, darkLogo, favicon }: Images, address: string | null) {
  // A URI by its form may still be no address, such as one with the port 99999.
  const logoUrl = logo ?? (address !== null && URL.canParse(address) ? address : null);
  return { logoUrl, darkLogoUrl: logoUrl === null ? null : darkLogo, faviconUrl: favicon };
}

/** The origins of the images of a brand, for the policy of a page that shows them. */
export function imageOrigins({
  logoUrl,
  darkLogoUrl,
  faviconUrl,
}: Pick<Brand, 'logoUrl' | 'darkLogoUrl' | 'faviconUrl'>): string[] {
  const addresses = [logoUrl, darkLogoUrl, faviconUrl].filter((address) => address !== null);
  return [...new Set(addresses.map((address) => new URL(address).origin))];
}

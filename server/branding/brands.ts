import { projectOf } from '#environments';
import type { Scope } from '#platform/ctx.ts';
import type { OrganizationId } from '#platform/ids.ts';
import type { SystemInTx } from '#platform/system.ts';
import type { Branding } from '#settings';
import { knownBranding, type OrganizationBranding } from './organization-brandings.ts';

/** What pages and mails show: the project's branding, or an organization's in place of it. */
export type Brand = Branding & {
  name: string;
  /** True if the organization has a name but no logo of its own: the name then stands beside the project's logo. */
  besideLogo: boolean;
};

/**
 * The brand of everything that is shown to people in a project. The organization is named where the person, the
 * application or the address has named it, and never found out by the address of a person.
 */
export async function brandOf(system: SystemInTx, scope: Scope, organizationId: OrganizationId | null): Promise<Brand> {
  const { projectName, settings } = await projectOf(system, scope);
  const own = organizationId === null ? null : await knownBranding(system, { scope, organizationId });
  return brandFrom({ name: projectName, branding: settings.branding }, own);
}

/** The branding of a project with that of an organization in place of it, field by field. */
export function brandFrom(project: { name: string; branding: Branding }, own: OrganizationBranding | null): Brand {
  const { branding } = project;
  const logoUrl = own?.logoUrl ?? branding.logoUrl;
  return {
    ...branding,
    // A URI by its form may still be no address, such as one with the port 99999.
    logoUrl: logoUrl !== null && URL.canParse(logoUrl) ? logoUrl : null,
    accentColor: own?.accentColor ?? branding.accentColor,
    backgroundColor: own?.backgroundColor ?? branding.backgroundColor,
    name: own?.name ?? project.name,
    besideLogo: own !== null && own.name !== null && own.logoUrl === null,
  };
}

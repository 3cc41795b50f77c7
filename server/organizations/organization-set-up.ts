import { lookUpOrganizationDomain, verifyOrganizationDomain } from './organization-domain-checks.ts';
import {
  changeOrganizationDomain,
  claimOrganizationDomain,
  deleteOrganizationDomain,
  domainRecord,
  findOrganizationDomain,
  listOrganizationDomains,
} from './organization-domains.ts';
import { createOrganizationRole } from './organization-roles.ts';
import { createOrganization } from './organizations.ts';
import { changeOrganizationPolicy } from './policies.ts';

/** What people who set their organization up by a link, and the first start, read and change by the rules of the API. */
export const organizationSetUp = {
  create: createOrganization,
  createRole: createOrganizationRole,
  listDomains: listOrganizationDomains,
  findDomain: findOrganizationDomain,
  domainRecord,
  claimDomain: claimOrganizationDomain,
  lookUpDomain: lookUpOrganizationDomain,
  verifyDomain: verifyOrganizationDomain,
  changeDomain: changeOrganizationDomain,
  deleteDomain: deleteOrganizationDomain,
  changePolicy: changeOrganizationPolicy,
};

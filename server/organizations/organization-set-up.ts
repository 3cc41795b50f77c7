import { lookUpOrganizationDomain, verifyOrganizationDomain } from './organization-domain-checks.ts';
import {
  changeOrganizationDomain,
  claimOrganizationDomain,
  deleteOrganizationDomain,
  domainRecord,
  findOrganizationDomain,
  listOrganizationDomains,
} from './organization-domains.ts';
import { listOrganizationRoles } from './organization-roles.ts';
import { changeOrganizationPolicy } from './policies.ts';

/** What set-up links read and change in organizations, by the rules of the API. */
export const organizationSetUp = {
  listDomains: listOrganizationDomains,
  findDomain: findOrganizationDomain,
  domainRecord,
  claimDomain: claimOrganizationDomain,
  lookUpDomain: lookUpOrganizationDomain,
  verifyDomain: verifyOrganizationDomain,
  changeDomain: changeOrganizationDomain,
  deleteDomain: deleteOrganizationDomain,
  listRoles: listOrganizationRoles,
  changePolicy: changeOrganizationPolicy,
};

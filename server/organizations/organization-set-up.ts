import { lookUpOrganizationDomain, verifyOrganizationDomain } from './organization-domain-checks.ts';
import {
  changeOrganizationDomain,
  claimOrganizationDomain,
  deleteOrganizationDomain,
  domainRecord,
  findOrganizationDomain,
  listOrganizationDomains,
} from './organization-domains.ts';
import { changeOrganizationPolicy } from './policies.ts';

/** What people who set their organization up by a link read and change, by the rules of the API. */
export const organizationSetUp = {
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

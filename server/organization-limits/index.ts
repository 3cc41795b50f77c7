export {
  limitFault,
  maximumOf,
  organizationRates,
  requireOrganizationRoom,
} from './organization-limits.ts';

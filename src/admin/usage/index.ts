export {
  USAGE_GROUPS,
  USAGE_STATES,
  type UsageGroup,
  type UsageLine,
  usageOfMonth,
  type UsageReport,
} from './usage-report';

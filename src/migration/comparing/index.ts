export {
  compareServers,
  type Comparison,
  type ComparisonOptions,
  type ProbeOptions,
  sampleValues,
} from './compare-servers';
export { CannotCompare } from './describe';
export type { Plan } from './plan';
export type { SideOptions } from './side';

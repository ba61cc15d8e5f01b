export { DescriptionError, readDescription } from './description';
export { probe } from './probe';
export type { ProbedService } from './subject';
export { readValues, type SampleValues, valuesTemplate } from './values';

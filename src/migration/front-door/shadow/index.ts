export { readFindings, type ShadowFindings } from './findings-file';
export {
  type NotCompared,
  Shadow,
  type ShadowObserver,
  type ShadowOptions,
  type ShadowWatch,
} from './shadow';
export { ShadowReport } from './shadow-report';

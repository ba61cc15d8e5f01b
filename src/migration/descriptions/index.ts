export { compareDescriptions } from './compare-descriptions';

export { childKind } from './child-kind';
export { runAlone } from './run-alone';
export { runChild } from './run-child';
export { runPrimary } from './run-primary';
export { ToldError } from './told-error';

export { childKind } from './child-kind';
export { prepareDataFolder } from './data-folder';
export { runAlone } from './run-alone';
export { runChild } from './run-child';
export { runPrimary } from './run-primary';
export { StartError } from './start-error';
export { ToldError } from './told-error';

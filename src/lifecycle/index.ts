export { prepareDataFolder } from './data-folder';
export { greeting } from './greeting';
export { Listener } from './listener';
export { onShutdownSignals } from './shutdown-signals';
export { StartError } from './start-error';

export { prepareDataFolder } from './data-folder';
export { drain } from './drain';
export { type ExampleCall, greeting } from './greeting';
export { listen } from './listen';
export { onShutdownSignals } from './shutdown-signals';

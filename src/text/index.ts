export { nearestName } from './nearest';
export { isPlain, isSendable, shown, shownJson } from './shown';
export { textTable } from './table';

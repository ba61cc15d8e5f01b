export { counted, numberText } from './counted';
export { nearestName } from './nearest';
export { IS_CHECKOUT, PROGRAM_NAME } from './program-name';
export { isPlain, isSendable, shown, shownJson } from './shown';
export { textTable } from './table';
export { timeInName } from './time-in-name';

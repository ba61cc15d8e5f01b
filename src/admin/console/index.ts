export { type ConsoleParts, createConsole } from './console';
export type { Visitor, Visitors } from './visitor';

export { CutOver } from './cut-over';
export { type KnownOperation, type Mode } from './cut-over-file';

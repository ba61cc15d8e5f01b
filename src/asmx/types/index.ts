export { MOST_PUT_BYTES, type Put, putOneOf } from './ascii-text';
export type { CharReading } from './characters';
export {
  compileFormReading,
  compileParts,
  dotNetName,
  type ElementReader,
  type FormReading,
  type ListReader,
  type RecordParts,
  type RecordReader,
  type TextReader,
} from './compiled-types';
export { invalidName } from './enumerations';
export { readXmlBoolean } from './boolean';
export { type LocalClock, localClock } from './local-clock';
export { PLAIN_TYPES, type PlainTypeRow, type ReadingRules } from './plain-types';
export { ValueError } from './value-error';

export { Recorder, type RecorderOptions, type RecordOutcome } from './recorder';

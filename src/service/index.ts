export { AlreadyReportedError } from './process-pool';
export { runService, settingsOfProcess } from './run-service';

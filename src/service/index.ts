export { AlreadyReportedError } from './process-pool';
export { runService } from './run-service';
export { settingsOfProcess } from './settings-of-process';

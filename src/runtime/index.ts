export { AlreadyReportedError } from './process-pool';
export { runService } from './run-service';

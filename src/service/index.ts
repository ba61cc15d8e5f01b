export { startService } from './run-service';

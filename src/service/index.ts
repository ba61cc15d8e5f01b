export { startService } from './start-service';

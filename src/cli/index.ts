export { listCommands, loadRunner, program } from './program';

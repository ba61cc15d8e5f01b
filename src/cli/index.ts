export { program } from './program';

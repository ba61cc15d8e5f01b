export { writeLine } from './own-lines';

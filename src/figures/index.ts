export { MinuteFigures } from './minute-figures';

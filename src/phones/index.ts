export { readPhone } from '../support/phones';

export { readPhone } from './read-phone';

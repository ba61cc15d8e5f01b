export { maskPhone, maskToken } from './masks';

export type { Header, HttpAnswer, HttpRequest } from './messages';
export { writeLine } from './traffic';

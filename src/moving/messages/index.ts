export type { Header, HttpAnswer, HttpRequest } from './messages';

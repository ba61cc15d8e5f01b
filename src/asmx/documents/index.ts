export { checkHelp, type OperationHelp, type ParameterHelp, type ServiceHelp } from './help';
export { type DocumentKind, Metadata } from './metadata';
export {
  dangerousPathPage,
  errorPage,
  hostNotAllowedPage,
  indexMethodNotAllowedPage,
  indexMethods,
  methodNotAllowedPage,
  notFoundPage,
  contentTypeTooLongPage,
  pathTooLongPage,
  queryTooLongPage,
  serverErrorPage,
  tooBusyPage,
  twoHostsPage,
  unrecognizedPage,
} from './pages/error-page';
export { type ExampleCall, type ExampleCommand, exampleCommands } from './pages/example-commands';
export { type Content, Html, html, NOTHING } from './pages/html';
export { ICON } from './pages/page';
export { STYLE_SHEET } from './pages/style-sheet';
export type { ServerState, ServerText } from './pages/index-page';
export type { TestForm } from './pages/test-form';

export { readForm, readQuery, unknownOperation } from './form-binding';
export { formError, formFailure, formResultWriter } from './form-result';

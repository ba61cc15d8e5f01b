export { oversizeForm, readForm, readQuery, unknownOperation } from './form-binding';
export { formFailure, formResultWriter } from './form-result';

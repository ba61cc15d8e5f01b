export { readForm, readQuery, refuseForm, unknownOperation } from './form-binding';
export { formFailure, formResultWriter } from './form-result';

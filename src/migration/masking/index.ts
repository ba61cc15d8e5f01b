export { maskedForm, maskedPath } from './masked-form';
export { maskedMarkup } from './masked-markup';
export { maskedPair, maskedText, maskedWords } from './masked-text';

export { maskedPair, maskedText, maskedWords } from './masked-text';

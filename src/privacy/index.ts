export { isMaskedPhone, maskedForms, maskPhone, maskToken } from './masks';

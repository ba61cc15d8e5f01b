export { isMaskedPhone, maskedForms, maskPhone, maskToken } from '../support/masks';

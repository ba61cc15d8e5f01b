export { Access, type AccessOptions } from './access';
export { hashKey, hashPassword } from './secret-hash';

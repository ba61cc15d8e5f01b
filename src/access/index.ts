export { Access } from './access';
export { networkKey } from './networks';
export { Credentials, Rejected } from './credentials';
export { Rates } from './rates';
export { hashKey, hashPassword, parseSecretHash, type SecretHash } from './secret-hash';

export { looseness, loosenessOfSecrets } from './looseness';
export { makePrivateFile, makePrivateFolder, PRIVATE_FILE } from './make-private';

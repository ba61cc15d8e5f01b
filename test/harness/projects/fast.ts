/** Global set-up of the project "fast": Node.js and npm are enough. */
export { prepareFiles as default } from '../surroundings';

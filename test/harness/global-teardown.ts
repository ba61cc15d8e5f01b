import { removeTemplates } from './database-templates';

/** Jest's global tear-down: what the set-up left on a server that stays. */
export default removeTemplates;

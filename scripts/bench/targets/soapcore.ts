import { dirname } from 'node:path';

import { runForeign, writeLists } from './foreign';

/** Runs SoapCore's server, which the bench has built. */
const program = process.env['FOREIGN_PROGRAM'] ?? '';
runForeign(program, [writeLists(dirname(program))]);

import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Whether the program runs from a checkout, which alone has its sources, and not from an installed package. */
export const IS_CHECKOUT = existsSync(join(__dirname, '..', '..', 'src'));

/** What the operator types before the name of a command: only npx finds a program that is not installed. */
export const PROGRAM_NAME = IS_CHECKOUT ? 'npx school-notifications' : 'school-notifications';

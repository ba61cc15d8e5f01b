import type { Migration } from 'kysely';

import type { EngineName } from '../engine/engine';
import { initial } from './0001-initial';
import { delivery } from './0002-delivery';
import { wholePhones } from './0003-whole-phones';
import { newDatabase } from './0004-new-database';
import { forgetting } from './0005-forgetting';

/** Every step of the schema, in order. A step that was released is never changed: what follows is a new one. */
export function migrationsFor(engine: EngineName): Readonly<Record<string, Migration>> {
  return {
    '0001_initial': initial(engine),
    '0002_delivery': delivery(engine),
    '0003_whole_phones': wholePhones,
    '0004_new_database': newDatabase,
    '0005_forgetting': forgetting,
  };
}

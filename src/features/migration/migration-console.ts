import express from 'express';

import { addPage } from '../../admin/console/console-page';
import type { ConsoleCore, ConsolePart } from '../../admin/console/console-part';
import { readNodeFacts } from '../../admin/history/nodes';
import { migrationPart, type MigrationSource } from './migration-page';
import { MigrationView } from './migration-view';

/** Adds the page of the migration if this node is the reverse proxy of an old server. */
export function migrationConsole(core: ConsoleCore): ConsolePart {
  const { config, store, logger } = core;
  if (config.OLD_URL === undefined || config.ROLE === 'worker') return {};
  const view = new MigrationView(config, store, logger);
  return { ...migrationSection(core, view), reloadables: [view], start: () => void view.record() };
}

/** Returns the page, whatever its source. */
export function migrationSection(
  { store, users, node, now }: ConsoleCore,
  source: MigrationSource,
): ConsolePart {
  const routes = express.Router();
  addPage(routes, users, ['/migration', 'Migration'], async (_query, { words }) => {
    const { oldServerAnswers } = await readNodeFacts(node);
    return migrationPart(store, source, oldServerAnswers, words, now());
  });
  return { sections: { '/migration': 'Migration' }, routes };
}

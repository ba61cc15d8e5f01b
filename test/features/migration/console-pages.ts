import type { ConsoleCore } from '../../../src/admin/console/console-part';
import { migrationSection } from '../../../src/features/migration/migration-console';
import type { MigrationSource } from '../../../src/features/migration/migration-page';
import type { FeaturePages } from '../../admin/console/feature-pages';

/** Returns the feature with the page of a source, without an old server. */
export const withSource = (source: MigrationSource) => ({
  openConsole: (core: ConsoleCore) => Promise.resolve(migrationSection(core, source)),
});

export const PAGES: FeaturePages = {
  pages: () => [['/migration', ['migrated', 'difference', 'old', 'ours', 'example']]],
  streams: [],
  downloads: [],
  screens: [['migration', '/migration']],
  example: (text) =>
    withSource({
      calls: () =>
        (['shadow', 'old', 'fallback', 'new'] as const).map((mode) => ({
          ...{ operation: text('migrated'), binding: 'soap11', mode, sends: mode === 'old' },
          ...{ compared: 120, different: mode === 'shadow' ? 2 : 0 },
        })),
      differences: () => [
        {
          ...{ operation: text('migrated'), binding: 'GET', text: text('difference'), count: 2 },
          ...{ old: text('old'), ours: text('ours'), example: `${text('example')}${'X'.repeat(200)}` },
        },
      ],
    }),
};

import type { FeaturePages } from '../../admin/console/feature-pages';

/** The report of the last import, below the list of schools. */
export const PAGES: FeaturePages = {
  pages: () => [['/schools', ['report']]],
  streams: [],
  downloads: [],
  screens: [],
};

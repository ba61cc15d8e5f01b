import type { FeaturePages } from '../../admin/console/feature-pages';

export const PAGES: FeaturePages = {
  pages: () => [],
  streams: [],
  downloads: [],
  screens: [
    ['help', '/docs'],
    ['help-page', '/docs/console'],
  ],
};

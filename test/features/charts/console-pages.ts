import type { FeaturePages } from '../../admin/console/feature-pages';

export const PAGES: FeaturePages = {
  pages: (asked) => [
    ['/?span=24h', []],
    [`/?span=${asked}`, []],
  ],
  streams: ['/live?span=1h'],
  downloads: [],
  screens: [],
};

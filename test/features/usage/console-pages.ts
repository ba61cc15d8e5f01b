import type { FeaturePages } from '../../admin/console/feature-pages';

export const PAGES: FeaturePages = {
  pages: (asked) => [
    ['/usage', []],
    ['/usage?by=school', []],
    ['/usage?by=caller', ['caller']],
    [`/usage?month=${asked}&by=${asked}`, []],
  ],
  streams: ['/live/usage?by=caller'],
  downloads: ['/usage.csv'],
  screens: [['usage', '/usage?by=school']],
};

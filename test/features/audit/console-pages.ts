import type { FeaturePages } from '../../admin/console/feature-pages';

export const PAGES: FeaturePages = {
  pages: (asked) => [
    ['/audit', ['who', 'action', 'name', 'detail']],
    [`/audit?who=${asked}&action=${asked}&from=${asked}`, []],
  ],
  streams: [],
  downloads: [],
  forms: ['/audit'],
  actions: [
    ['GET', '/audit', {}, ['operator']],
    ['GET', '/audit.csv', {}, ['operator']],
  ],
  screens: [['audit', '/audit']],
};

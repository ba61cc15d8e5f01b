import type { FeaturePages } from '../../admin/console/feature-pages';

/** A page of the sample school. */
const pageOf = (kind: string, id: string): string =>
  `/schools/${kind}?${new URLSearchParams({ school: 'http://school.example', id }).toString()}`;

export const PAGES: FeaturePages = {
  pages: () => [
    [pageOf('student', 'S1'), []],
    [pageOf('class', '1A'), []],
    [pageOf('note', 'N1'), []],
  ],
  streams: [],
  downloads: [],
  screens: [
    ['student', pageOf('student', 'S1')],
    ['class', pageOf('class', '1A')],
  ],
};

import { FEATURE_ACTION_LOG } from '../../../src/features/feature';
import type { FeaturePages } from '../../admin/console/feature-pages';

const PATH = '/schools/import';

export const PAGES: FeaturePages = {
  pages: () => [[PATH, FEATURE_ACTION_LOG === undefined ? [] : ['importer', 'files']]],
  streams: [`/live${PATH}`],
  downloads: [],
  forms: [PATH],
  actions: [
    ['GET', PATH, {}, ['operator']],
    ['GET', `${PATH}/errors.csv`, {}, ['operator']],
    ['POST', PATH, {}, ['operator']],
    ['POST', `${PATH}/confirm`, { id: 'x' }, ['operator']],
    ['POST', `${PATH}/cancel`, { id: 'x' }, ['operator']],
    ['POST', `${PATH}/undo`, {}, ['operator']],
  ],
  empty: { [`POST ${PATH}`]: 400, [`POST ${PATH}/confirm`]: 409, [`POST ${PATH}/undo`]: 409 },
  screens: [['import', PATH]],
};

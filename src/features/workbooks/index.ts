import type { Feature } from '../feature';
import { TURKISH, TURKISH_ERRORS } from './turkish';

export const texts = { tr: TURKISH };

export const lines = { tr: TURKISH_ERRORS };

export const books: Required<Feature>['books'] = {
  load: async () => (await import('./read-xlsx.js')).XLSX_READER,
  template: async (language) => (await import('./template.js')).importTemplate(language),
};

import type { Language } from '../../admin/texts/words';
import type { Feature } from '../feature';
import { TURKISH_ERRORS } from './turkish';

export const turkishFindings = TURKISH_ERRORS;

export const books: Required<Feature>['books'] = {
  load: async () => (await import('./read-xlsx.js')).XLSX_READER,
  templates: { en: () => template('en'), tr: () => template('tr') },
};

async function template(language: Language): Promise<Buffer> {
  return (await import('./template.js')).importTemplate(language);
}

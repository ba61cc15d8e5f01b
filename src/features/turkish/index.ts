import type { ConsoleLanguage } from '../feature';
import { TURKISH_ALERTS } from './alerts';
import { TURKISH_FINDINGS } from './findings';
import { TURKISH_HOLDS } from './holds';
import { TURKISH_IMPORTS } from './imports';
import { TURKISH_MEANINGS } from './meanings';
import { TURKISH } from './pages';
import { possessiveEnding } from './possessive-ending';
import { TURKISH_REASONS } from './reasons';
import { TURKISH_SENTENCES } from './sentences';

export const language = {
  tag: 'tr',
  name: 'Türkçe',
  ending: possessiveEnding,
} as const satisfies ConsoleLanguage;

/** Texts of the core; those of features are in their folders. */
export const texts = {
  tr: {
    ...TURKISH_ALERTS,
    ...TURKISH_REASONS,
    ...TURKISH_SENTENCES,
    ...TURKISH,
    ...TURKISH_HOLDS,
    ...TURKISH_IMPORTS,
  },
};

export const lines = { tr: { ...TURKISH_FINDINGS, ...TURKISH_MEANINGS } };

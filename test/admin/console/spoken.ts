import { LANGUAGES } from '../../../src/admin/texts/words';

/** Returns those of some languages that the console has: features add all but English. */
export function spoken<Tag extends string>(...tags: readonly Tag[]): readonly Tag[] {
  return tags.filter((tag) => LANGUAGES.some((each) => each.tag === (tag as string)));
}

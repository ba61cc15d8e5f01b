export interface KeyCollation {
  /** Name of the SQL Server collation; empty if ids are compared exactly. */
  readonly name: string;
  /** Returns a text that is equal for ids that count as one. Idempotent. */
  readonly fold: (id: string) => string;
}

export const EXACT_KEYS: KeyCollation = { name: '', fold: (id) => id };

const NAME = /^(?:SQL_)?(\w+?)_(?:C([IS])_AS(?:_KS)?(?:_WS)?(?:_VSS)?(?:_SC)?(?:_UTF8)?|BIN2?)$/;

/** Languages in which I and i are letters of their own, by the beginning of a collation's name. */
const LOCALES: Readonly<Record<string, string>> = {
  Turkish: 'tr',
  Latin1_General_CP1254: 'tr',
  Azeri_Latin: 'az',
};

/**
 * Returns the comparison that a SQL Server collation describes: of letters with or without regard to case.
 * Trailing blanks never count. Names:
 * https://learn.microsoft.com/sql/relational-databases/collations/collation-and-unicode-support
 *
 * @returns undefined for another text, and for collations that ignore accents: the letters that these equate
 * depend on the language
 */
export function keyCollation(name: string): KeyCollation | undefined {
  if (name === '') return EXACT_KEYS;
  const [known, language = '', sensitivity] = NAME.exec(name) ?? [];
  if (known === undefined) return undefined;
  if (sensitivity !== 'I') return EXACT_KEYS;
  const [, locale] = Object.entries(LOCALES).find(([start]) => language.startsWith(start)) ?? [];
  return { name, fold: (id) => id.normalize().toLocaleLowerCase(locale ?? 'en') };
}

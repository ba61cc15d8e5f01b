import Negotiator from 'negotiator';

import { type Content, html, type Html, NOTHING } from '../../support/html';
import { TimeText } from '../reports/time-text';
import { filled, type Phrase, type Sentence, sentenceText } from '../../support/phrase';
import {
  type ConsoleLanguage,
  FEATURE_LANGUAGES,
  featureTranslations,
  type TranslatedTexts,
} from '../../features/feature';
import { PROGRAM_NAME } from '../../support/program-name';

/** Tags of the languages that features add. */
type AddedTag = keyof TranslatedTexts;
export type Language = keyof (Readonly<Record<'en', unknown>> & TranslatedTexts);

interface Offered extends ConsoleLanguage {
  readonly tag: Language;
}

/**
 * The languages of the console. The English texts are the keys of the others' catalogues. `Feature` knows
 * tags as strings only.
 */
export const LANGUAGES = [{ tag: 'en', name: 'English' }, ...FEATURE_LANGUAGES] as readonly Offered[];

/** Texts that all of the languages have. */
type TextOf<Tag> = (Tag extends AddedTag ? (text: TranslatedTexts[Tag]) => void : never) extends (
  text: infer Each,
) => void
  ? Each
  : never;

/** A text of the console in English. One that a language lacks does not compile. */
export type Text = [AddedTag] extends [never] ? string : TextOf<AddedTag>;

/** Matches a line, and at its end where the setting is set that it is about. */
const PLACES = /^(.*?)( \[[^\]]*: line \d+\])?$/s;
const NAMES = /\{(\w+)\}/g;

/** Contains what the console says in a language. */
interface Catalogue {
  /** By the English texts, with the program's name as it is run. */
  readonly texts: ReadonlyMap<string, string>;
  /** Every second piece of the English line is a name. */
  readonly lines: readonly { readonly pieces: readonly string[]; readonly translation: string }[];
  readonly ending?: ConsoleLanguage['ending'];
}

/** The catalogues by language; English needs none. */
const CATALOGUES: ReadonlyMap<string, Catalogue> = new Map(
  FEATURE_LANGUAGES.map((language) => [language.tag, readCatalogue(language)]),
);

function readCatalogue({ tag, ending }: ConsoleLanguage): Catalogue {
  const named = (text: string): string => text.replaceAll('school-notifications ', `${PROGRAM_NAME} `);
  const texts = Object.entries(featureTranslations(tag, 'texts'));
  const lines = Object.entries(featureTranslations(tag, 'lines'));
  return {
    texts: new Map(texts.map(([english, translation]) => [named(english), named(translation)])),
    lines: lines.map(([english, translation]) => ({ pieces: english.split(NAMES), translation })),
    ending,
  };
}

export class Words extends TimeText {
  readonly language: Language;
  readonly #numbers: Intl.NumberFormat;
  readonly #catalogue: Catalogue | undefined;

  /** @param zone - IANA name of the time zone */
  constructor(language: Language, zone: string) {
    super(zone, CATALOGUES.has(language) ? language : undefined);
    this.language = language;
    this.#numbers = new Intl.NumberFormat(language);
    this.#catalogue = CATALOGUES.get(language);
  }

  /** Returns a text with its values in the places of their names in braces. */
  t(text: Text, values: Phrase<Text>['values'] = {}): string {
    return this.said({ text, values });
  }

  html(text: Text, values: Readonly<Record<string, Content>>): Html {
    // Every second part is a name.
    const parts = this.#find(text).split(NAMES);
    return html`${parts.map((part, at) => html`${at % 2 === 0 ? part : (values[part] ?? '')}`)}`;
  }

  /** Writes what another room says, such as the reason of a failure. */
  said(sentence: Sentence<Text>): string {
    return sentenceText(sentence, {
      translate: (text) => this.#find(text),
      line: (line) => this.line(line) ?? line,
      number: (value) => this.number(value),
      ending: this.#catalogue?.ending,
    });
  }

  /**
   * Writes a line that another room has put together, such as a finding of the log or an error of an import;
   * undefined for one that the catalogue lacks.
   */
  line(line: string): string | undefined {
    if (this.#catalogue === undefined) return line;
    const [, message = '', places = ''] = PLACES.exec(line) ?? [];
    for (const { pieces, translation } of this.#catalogue.lines) {
      const values = valuesIn(message, pieces);
      if (values === undefined) continue;
      const text = filled(translation, (name) => values.get(name));
      return `${text}${places.replaceAll(': line ', `: ${this.#find('line')} `)}`;
    }
    return undefined;
  }

  /** Returns a note for readers of another language above texts that are in English. */
  ofEnglish(note: Text): Html {
    return this.#catalogue === undefined ? NOTHING : html`<p class="quiet">${this.t(note)}</p>\n`;
  }

  number(value: number): string {
    return this.#numbers.format(value);
  }

  /** @param several - has the number in the place of `{n}`, as `one` may */
  count(value: number, one: Text, several: Text): string {
    return this.t(value === 1 ? one : several, { n: value });
  }

  #find(text: string): string {
    return this.#catalogue?.texts.get(text) ?? text;
  }
}

/**
 * Returns the values in a text by their names; undefined for another text.
 *
 * @param pieces - texts, with a name between each two
 */
function valuesIn(
  text: string,
  [start = '', ...rest]: readonly string[],
): ReadonlyMap<string, string> | undefined {
  if (!text.startsWith(start)) return undefined;
  const values = new Map<string, string>();
  let at = start.length;
  for (let index = 0; index < rest.length; index += 2) {
    const [name = '', piece = ''] = rest.slice(index, index + 2);
    const isLast = index + 2 >= rest.length;
    const end = isLast ? text.length - piece.length : text.indexOf(piece, at);
    if (end < at || !text.startsWith(piece, end)) return undefined;
    values.set(name, text.slice(at, end));
    at = end + piece.length;
  }
  return at === text.length ? values : undefined;
}

const COOKIE = 'console_language';

/** Returns the language that a user has chosen, or else the one that the browser prefers. */
export function languageFor(headers: Readonly<Record<string, string | string[] | undefined>>): Language {
  const names = LANGUAGES.map(({ tag }) => tag);
  const cookie = String(headers['cookie'] ?? '');
  const chosen = names.find((name) => cookie.split(/;\s*/).includes(`${COOKIE}=${name}`));
  const preferred = new Negotiator({ headers }).language(names);
  return chosen ?? names.find((name) => name === preferred) ?? 'en';
}

/** Returns the foot of a page, with links to it in the other languages if there are some. */
export function languageChoice(current: string, address: string): Html {
  const links = LANGUAGES.filter(({ tag }) => tag !== current).map(({ tag, name }) => {
    const query = new URLSearchParams({ to: tag, back: address }).toString();
    return html`<a href="/language?${query}" lang="${tag}" hreflang="${tag}" rel="nofollow">${name}</a>`;
  });
  return links.length === 0 ? NOTHING : html`<footer class="languages">${links}</footer>\n`;
}

/**
 * Returns the header that makes the browser remember a choice for a year; undefined for an unknown language.
 */
export function languageCookie(name: unknown): string | undefined {
  if (!LANGUAGES.some(({ tag }) => tag === name)) return undefined;
  return `${COOKIE}=${String(name)}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax`;
}

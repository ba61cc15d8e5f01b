import Negotiator from 'negotiator';

import { type Content, html, type Html, NOTHING } from '../../support/html';
import { TimeText } from '../reports/time-text';
import { filled, type Phrase, type Sentence, sentenceText } from '../../support/phrase';
import { FEATURE_TURKISH, FEATURE_TURKISH_FINDINGS } from '../../features/feature';
import { PROGRAM_NAME } from '../../support/program-name';
import { TURKISH } from './turkish';
import { TURKISH_ALERTS } from './turkish-alerts';
import { TURKISH_FINDINGS } from './turkish-findings';
import { TURKISH_HOLDS } from './turkish-holds';
import { TURKISH_SENTENCES } from './turkish-sentences';

/** Languages of the console by their own names. The English texts are the keys of the catalogues. */
const LANGUAGES = { en: 'English', tr: 'Türkçe' } as const;
export type Language = keyof typeof LANGUAGES;

/** A text of the console in English. One without a translation does not compile. */
export type Text = keyof (typeof TURKISH & typeof TURKISH_HOLDS & typeof FEATURE_TURKISH);

/** Matches a line, and at its end where the setting is set that it is about. */
const PLACES = /^(.*?)( \[[^\]]*: line \d+\])?$/s;
const NAMES = /\{(\w+)\}/g;
/** The catalogue of such lines; every second piece of the English text is a name. */
const LINES = Object.entries({ ...TURKISH_FINDINGS, ...FEATURE_TURKISH_FINDINGS }).map(
  ([english, turkish]) => ({ pieces: english.split(NAMES), turkish }),
);
/** Texts of other rooms, with the program's name as it is run. */
const SAID = Object.fromEntries(
  Object.entries({ ...TURKISH_ALERTS, ...TURKISH_SENTENCES, ...FEATURE_TURKISH }).map((texts) =>
    texts.map((text) => text.replaceAll('school-notifications ', `${PROGRAM_NAME} `)),
  ),
) as Readonly<Record<string, string>>; // Pairs of texts, as they came.
const ALL: Readonly<Record<string, string>> = { ...SAID, ...TURKISH, ...TURKISH_HOLDS };

export class Words extends TimeText {
  readonly language: Language;
  readonly #numbers: Intl.NumberFormat;

  /** @param zone - IANA name of the time zone */
  constructor(language: Language, zone: string) {
    super(zone, language === 'en' ? undefined : language);
    this.language = language;
    this.#numbers = new Intl.NumberFormat(language);
  }

  /** Returns a text with its values in the places of their names in braces. */
  t(text: Text, values: Phrase['values'] = {}): string {
    return this.said({ text, values });
  }

  html(text: Text, values: Readonly<Record<string, Content>>): Html {
    // Every second part is a name.
    const parts = this.#find(text).split(NAMES);
    return html`${parts.map((part, at) => html`${at % 2 === 0 ? part : (values[part] ?? '')}`)}`;
  }

  /**
   * Writes what another room says, such as the reason of a failure. What the catalogue lacks stays English.
   */
  said(sentence: Sentence): string {
    return sentenceText(sentence, {
      translate: (text) => this.#find(text),
      number: (value) => this.number(value),
      ending: possessiveEnding,
    });
  }

  /**
   * Writes a line that another room has put together, such as a finding of the log or an error of an import;
   * undefined for one that the catalogue lacks.
   */
  line(line: string): string | undefined {
    if (this.language === 'en') return line;
    const [, message = '', places = ''] = PLACES.exec(line) ?? [];
    for (const { pieces, turkish } of LINES) {
      const values = valuesIn(message, pieces);
      if (values === undefined) continue;
      const text = filled(turkish, (name) => values.get(name));
      return `${text}${places.replaceAll(': line ', ': satır ')}`;
    }
    return undefined;
  }

  /** Returns a note for readers of another language above texts that are in English. */
  ofEnglish(note: Text): Html {
    return this.language === 'en' ? NOTHING : html`<p class="quiet">${this.t(note)}</p>\n`;
  }

  number(value: number): string {
    return this.#numbers.format(value);
  }

  /** @param several - has the number in the place of `{n}`, as `one` may */
  count(value: number, one: Text, several: Text): string {
    return this.t(value === 1 ? one : several, { n: value });
  }

  #find(text: string): string {
    if (this.language === 'en') return text;
    return Object.hasOwn(ALL, text) ? (ALL[text] ?? text) : text;
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

/** Turkish endings of “… of them”, by the last digit, by the last ten, and of larger round numbers. */
const ENDINGS = {
  digits: [undefined, 'i', 'si', 'ü', 'ü', 'i', 'sı', 'si', 'i', 'u'],
  tens: [undefined, 'u', 'si', 'u', 'ı', 'si', 'ı', 'i', 'i', 'ı'],
} as const;

/** Returns the ending of a whole number in Turkish: 7’si, 10’u, 100’ü. */
export function possessiveEnding(value: number): string {
  if (value === 0) return 'ı';
  const own = ENDINGS.digits[value % 10] ?? ENDINGS.tens[Math.floor(value / 10) % 10];
  if (own !== undefined) return own;
  if (value % 1000 !== 0) return 'ü';
  return value % 1_000_000 === 0 ? 'u' : 'i';
}

const COOKIE = 'console_language';

/** Returns the language that a user has chosen, or else the one that the browser prefers. */
export function languageFor(headers: Readonly<Record<string, string | string[] | undefined>>): Language {
  const names = Object.keys(LANGUAGES) as Language[]; // The keys of a complete table.
  const cookie = String(headers['cookie'] ?? '');
  const chosen = names.find((name) => cookie.split(/;\s*/).includes(`${COOKIE}=${name}`));
  const preferred = new Negotiator({ headers }).language([...names]);
  return chosen ?? names.find((name) => name === preferred) ?? 'en';
}

export function languageLinks(current: Language, address: string): readonly Html[] {
  return Object.entries(LANGUAGES)
    .filter(([name]) => name !== current)
    .map(
      ([name, own]) =>
        html`<a href="/language?${new URLSearchParams({ to: name, back: address }).toString()}" lang="${name}" hreflang="${name}" rel="nofollow">${own}</a>`,
    );
}

/**
 * Returns the header that makes the browser remember a choice for a year; undefined for an unknown language.
 */
export function languageCookie(name: unknown): string | undefined {
  if (typeof name !== 'string' || !Object.hasOwn(LANGUAGES, name)) return undefined;
  return `${COOKIE}=${name}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax`;
}

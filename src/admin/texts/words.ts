import Negotiator from 'negotiator';

import { type Content, html, type Html } from '../../asmx';
import { TimeText } from '../reports/time-text';
import { PROGRAM_NAME } from '../../support/program-name';
import { TURKISH } from './turkish';
import { TURKISH_ALERTS } from './turkish-alerts';
import { TURKISH_SENTENCES } from './turkish-sentences';

/** Languages of the console by their own names. The English texts are the keys of the catalogues. */
const LANGUAGES = { en: 'English', tr: 'Türkçe' } as const;
export type Language = keyof typeof LANGUAGES;

/** A text of the console in English. One without a translation does not compile. */
export type Text = keyof typeof TURKISH;

const NAMES = /\{(\w+)\}/g;
/** Texts of other rooms, with the program's name as it is run. */
const SAID = Object.fromEntries(
  Object.entries({ ...TURKISH_ALERTS, ...TURKISH_SENTENCES }).map((texts) =>
    texts.map((text) => text.replaceAll('school-notifications ', `${PROGRAM_NAME} `)),
  ),
) as Readonly<Record<string, string>>; // Pairs of texts, as they came.
const ALL: Readonly<Record<string, string>> = { ...SAID, ...TURKISH };

/** Texts, numbers and times for the reader of a page. */
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
  t(text: Text, values: Readonly<Record<string, string>> = {}): string {
    return this.#find(text).replace(NAMES, (braced, name: string) => values[name] ?? braced);
  }

  /** Returns a text with markup among its values. */
  html(text: Text, values: Readonly<Record<string, Content>>): Html {
    // Every second part is a name.
    const parts = this.#find(text).split(NAMES);
    return html`${parts.map((part, at) => html`${at % 2 === 0 ? part : (values[part] ?? '')}`)}`;
  }

  /**
   * Translates a text that another room has worded, such as the reason of a failure. It may have values where the
   * catalogue has names, which may themselves be such texts; one that the catalogue does not have stays English.
   */
  said(text: string): string {
    const found = this.#find(text);
    if (found !== text || this.language === 'en') return found;
    for (const { pieces, names, translation } of templates()) {
      const values = valuesIn(text, pieces);
      if (values === undefined || names.some((name, at) => name.length === 1 && !isWhole(values[at])))
        continue;
      return translation.replace(NAMES, (braced, name: string) => {
        const value = values[names.indexOf(name)];
        if (value === undefined) return braced;
        return name.length === 1 ? this.number(Number(value.replaceAll(',', ''))) : this.#saidWithin(value);
      });
    }
    return text;
  }

  /** Translates a value, which may be a sentence without its full stop. */
  #saidWithin(value: string): string {
    const found = this.said(value);
    if (found !== value) return found;
    const sentence = this.said(`${value}.`);
    return sentence === `${value}.` ? value : sentence.replace(/\.$/, '');
  }

  number(value: number): string {
    return this.#numbers.format(value);
  }

  /** @param several - has the number in the place of `{n}`, as `one` may */
  count(value: number, one: Text, several: Text): string {
    return this.t(value === 1 ? one : several, { n: this.number(value) });
  }

  #find(text: string): string {
    if (this.language === 'en') return text;
    return Object.hasOwn(ALL, text) ? (ALL[text] ?? text) : text;
  }
}

interface Template {
  /** Text around the names. */
  readonly pieces: readonly string[];
  readonly names: readonly string[];
  readonly translation: string;
}

let known: readonly Template[] | undefined;

/** Returns the texts with names, the longest first: they are the most specific. */
function templates(): readonly Template[] {
  known ??= Object.entries(SAID)
    .map(([text, translation]) => {
      const parts = text.split(NAMES);
      const pieces = parts.filter((_, at) => at % 2 === 0);
      return { pieces, names: parts.filter((_, at) => at % 2 === 1), translation };
    })
    .filter(({ names }) => names.length > 0)
    .sort((one, other) => other.pieces.join('').length - one.pieces.join('').length);
  return known;
}

/** Returns true for a number such as 1,234. */
function isWhole(text = ''): boolean {
  return /^[\d,]+$/.test(text);
}

/** Returns the values between the pieces of a template; undefined if a text does not have them. */
function valuesIn(text: string, [first = '', ...pieces]: readonly string[]): readonly string[] | undefined {
  if (!text.startsWith(first)) return undefined;
  let from = first.length;
  const values: string[] = [];
  for (const [index, piece] of pieces.entries()) {
    const isLast = index === pieces.length - 1;
    const at = isLast ? text.length - piece.length : text.indexOf(piece, from + 1);
    if (at <= from || (isLast && !text.endsWith(piece))) return undefined;
    values.push(text.slice(from, at));
    from = at + piece.length;
  }
  return values;
}

const COOKIE = 'console_language';

/** Returns the language that a visitor has chosen, or else the one that the browser prefers. */
export function languageFor(headers: Readonly<Record<string, string | string[] | undefined>>): Language {
  const names = Object.keys(LANGUAGES) as Language[]; // The keys of a complete table.
  const cookie = String(headers['cookie'] ?? '');
  const chosen = names.find((name) => cookie.split(/;\s*/).includes(`${COOKIE}=${name}`));
  const preferred = new Negotiator({ headers }).language([...names]);
  return chosen ?? names.find((name) => name === preferred) ?? 'en';
}

/** Returns links that show an address in the other languages. */
export function languageLinks(current: Language, address: string): readonly Html[] {
  return Object.entries(LANGUAGES)
    .filter(([name]) => name !== current)
    .map(
      ([name, own]) =>
        html`<a href="/language?${new URLSearchParams({ to: name, back: address }).toString()}" lang="${name}" hreflang="${name}" rel="nofollow">${own}</a>`,
    );
}

/** Returns the header that makes the browser remember a choice for a year; undefined for an unknown language. */
export function languageCookie(name: unknown): string | undefined {
  if (typeof name !== 'string' || !Object.hasOwn(LANGUAGES, name)) return undefined;
  return `${COOKIE}=${name}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax`;
}

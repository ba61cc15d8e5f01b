import { ValueError } from './value-error';

const NOT_VALID = 'String was not recognized as a valid DateTime.';
const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october'],
  ...['november', 'december'],
];
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const BRIEF = 3;

/** The parts of which .NET's texts of dates are made. */
const TIME = /([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2})(?:\.([0-9]*))?)?(?:[ \t]*(am|pm)(?![a-z]))?/iy;
const HOUR = /([0-9]{1,2})[ \t]*(am|pm)(?![a-z])/iy;
const OFFSET = /([+-])([0-9]{1,2})(?::?([0-9]{2}))?(?![0-9:])/y;
const UNIVERSAL = /(?:gmt|z)(?![a-z])/iy;
const NUMBER = /[0-9]+/y;
const WORD = /[a-z]+/iy;
const SPACE = /[\s\0]+/y;
const SEPARATOR = /[,/.-]/y;
/** Behind a date, as ISO 8601 has it: what follows is of two digits each, and nothing but an offset comes behind. */
const ISO_TIME =
  /t[ \t]*([0-9]{2})[ \t]*:[ \t]*([0-9]{2})(?![0-9])(?:[ \t]*:[ \t]*([0-9]{2})(?![0-9])(?:\.([0-9]+))?)?/iy;
const MOST_NUMBERS = 3;
/** Longer texts are none. */
const MOST_CHARACTERS = 1000;

/** A month by its name, and how many numbers stand before it. */
export interface DateWord {
  readonly name: string;
  readonly after: number;
}

interface TimeWords {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly fraction: string;
  readonly half: 'am' | 'pm' | undefined;
}

/** What a text of a date holds. */
export interface DateWords {
  /** In their order. */
  numbers: string[];
  month: DateWord | undefined;
  /** From Sunday, 0, on. */
  weekday: number | undefined;
  time: TimeWords | undefined;
  /** Minutes ahead of universal time. */
  offset: number | undefined;
  /** A date and a time in the form of ISO 8601. */
  isIso: boolean;
}

export function monthOf({ name }: DateWord): number {
  return indexIn(MONTHS, name) + 1;
}

/** Takes a text apart. @throws ValueError */
export function readWords(text: string): DateWords {
  const words = new WordReader(text);
  if (text.length > MOST_CHARACTERS) throw new ValueError(NOT_VALID);
  return words.read();
}

class WordReader {
  readonly #text: string;
  readonly #words: DateWords = {
    numbers: [],
    month: undefined,
    weekday: undefined,
    time: undefined,
    offset: undefined,
    isIso: false,
  };
  #at = 0;
  /** A separator that waits for what it parts. */
  #isParted = false;

  constructor(text: string) {
    this.#text = text;
  }

  read(): DateWords {
    while (this.#at < this.#text.length) {
      if (this.#take(SPACE) !== undefined) continue;
      if (this.#words.isIso) this.#readIsoEnd();
      else if (!(this.#readTime() || this.#readOffset() || this.#readNumber() || this.#readWord()))
        this.#readSeparator();
    }
    if (this.#isParted) throw new ValueError(NOT_VALID);
    return this.#words;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }

  #readTime(): boolean {
    const iso = this.#isIsoDate ? this.#take(ISO_TIME) : undefined;
    const brief = iso === undefined ? this.#take(HOUR) : undefined;
    const found = iso ?? brief ?? this.#take(TIME);
    if (found === undefined) return false;
    const words = this.#words;
    if (words.time !== undefined) throw new ValueError(NOT_VALID);
    const [, hour, minute = '0', second = '0', fraction = ''] =
      brief === undefined ? found : found.slice(0, 2);
    const half = (brief === undefined ? found[5] : found[2])?.toLowerCase();
    words.isIso = iso !== undefined;
    words.time = {
      hour: Number(hour),
      minute: Number(minute),
      second: Number(second),
      fraction,
      half: half === 'am' || half === 'pm' ? half : undefined,
    };
    this.#isParted = false;
    return true;
  }

  /** Whether three numbers stand there, and the first of them can only be a year. */
  get #isIsoDate(): boolean {
    const { numbers } = this.#words;
    return numbers.length === MOST_NUMBERS && (numbers[0] ?? '').length > 2;
  }

  /** An offset stands behind a time, or behind a whole date and a blank. */
  #readOffset(): boolean {
    const words = this.#words;
    const isDate = words.numbers.length + (words.month === undefined ? 0 : 1) === 3;
    if (words.offset !== undefined || (words.time === undefined && !isDate)) return false;
    if (this.#take(UNIVERSAL) !== undefined) {
      words.offset = 0;
      return true;
    }
    const found = this.#take(OFFSET);
    if (found === undefined) return false;
    const [, sign, hours, minutes = '0'] = found;
    const size = Number(hours) * 60 + Number(minutes);
    words.offset = sign === '-' ? -size : size;
    return true;
  }

  #readIsoEnd(): void {
    if (!this.#readOffset()) throw new ValueError(NOT_VALID);
  }

  #readNumber(): boolean {
    const found = this.#take(NUMBER);
    if (found === undefined) return false;
    this.#words.numbers.push(found[0]);
    this.#isParted = false;
    if (this.#words.numbers.length > MOST_NUMBERS) throw new ValueError(NOT_VALID);
    return true;
  }

  #readWord(): boolean {
    const start = this.#at;
    const name = this.#take(WORD)?.[0].toLowerCase();
    if (name === undefined) return false;
    const words = this.#words;
    // What begins a time, and has none behind it.
    if (name === 't' && words.numbers.length === MOST_NUMBERS) throw new ValueError(NOT_VALID);
    const weekday = indexIn(WEEKDAYS, name);
    if (indexIn(MONTHS, name) >= 0 && words.month === undefined) {
      words.month = { name, after: words.numbers.length };
    } else if (weekday >= 0 && words.weekday === undefined) words.weekday = weekday;
    else {
      throw new ValueError(
        `The string was not recognized as a valid DateTime. There is an unknown word starting at index ${String(start)}.`,
      );
    }
    this.#isParted = false;
    return true;
  }

  #readSeparator(): void {
    if (this.#isParted || this.#at === 0 || this.#take(SEPARATOR) === undefined)
      throw new ValueError(NOT_VALID);
    this.#isParted = true;
  }
}

/** The place of a name among others, whole or by its first three letters. */
function indexIn(names: readonly string[], name: string): number {
  return names.findIndex((known) => known === name || known.slice(0, BRIEF) === name);
}

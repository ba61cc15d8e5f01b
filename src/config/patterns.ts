import { RE2JS, RE2JSException } from 're2js';
import * as z from 'zod';

import { isPlain } from '../support/text';
import type { Kind } from './kinds';

/** Limits the work for each character of a text: RE2 may visit every instruction at every character. */
const MAX_INSTRUCTIONS = 1000;

const NO_LOOK_AROUND = 'Look-around, (?= (?! (?<= and (?<!, is not supported. Match the whole text instead';
const NO_BACK_REFERENCES =
  'Back-references, \\1 and \\k<name>, are not supported. Write out the alternatives instead';
const TOO_LARGE = 'The pattern is too large. Repeat with + or * instead of counting';

/** A pattern that runs in time linear to the text. */
class Pattern {
  readonly source: string;
  protected readonly expression: RE2JS;

  /** @throws RE2JSException if RE2 cannot compile it */
  constructor(source: string, flags: number) {
    // RE2 has no \k, and would read it as the letter.
    if (adviceFor(source) !== undefined) throw new RE2JSException('unsupported');
    this.source = source;
    this.expression = RE2JS.compile(RE2JS.translateRegExp(source), flags);
    if (this.expression.programSize() > MAX_INSTRUCTIONS) throw new RE2JSException('too large');
  }
}

/** A pattern that must match a whole text. */
export class TextForm extends Pattern {
  constructor(source: string) {
    super(source, 0);
  }

  /** Returns true if a text matches. A text with control characters never does. */
  fits(text: string): boolean {
    return this.expression.matches(text) && isPlain(text);
  }
}

/** A pattern to search for in a text of any length; `.` also matches line ends. */
export class SearchPattern extends Pattern {
  constructor(source: string) {
    super(source, RE2JS.DOTALL);
  }

  get groupNames(): readonly string[] {
    return Object.keys(this.expression.namedGroups());
  }

  /** Returns the captures of the named groups, or undefined without a match. */
  find(text: string): Captures | undefined {
    const matcher = this.expression.matcher(text);
    return matcher.find() ? matcher.getNamedGroups() : undefined;
  }

  /**
   * Returns the captures of the named groups in each match; undefined if finding them takes more than a few
   * passes over the text. A search goes on behind its match where a longer one is possible, so that each
   * could read the whole rest.
   */
  findAll(text: string, limit: number): readonly Captures[] | undefined {
    const counted = new CountedText(text);
    // The library takes such objects for texts; its typings know only texts.
    const matcher = this.expression.matcher(counted as unknown as string);
    const all: Captures[] = [];
    try {
      while (all.length < limit && matcher.find()) all.push(matcher.getNamedGroups());
      return all;
    } catch (error) {
      if (error instanceof TextReadTooOften) return undefined;
      throw error;
    }
  }
}

type Captures = Readonly<Record<string, string | null>>;

/**
 * Each character of a text may be read this often: a search for a match and its captures reads it some six
 * times.
 */
const READS_OF_CHARACTER = 20;
const LEAST_READS = 10_000;

class TextReadTooOften extends Error {
  override readonly name = 'TextReadTooOften';
}

/** A text that counts how many of its characters are read. */
class CountedText extends String {
  #left: number;

  constructor(text: string) {
    super(text);
    this.#left = text.length * READS_OF_CHARACTER + LEAST_READS;
  }

  override charCodeAt(index: number): number {
    this.#left -= 1;
    if (this.#left < 0) throw new TextReadTooOften();
    return super.charCodeAt(index);
  }
}

/** Allowed form of the texts that callers insert into an SMS. */
export const textForm: Kind<TextForm> = {
  allowed: 'regular expression (RE2); no look-around, no back-references',
  schema: z.string().transform((source, context) => {
    const result = compile(source);
    if (result instanceof TextForm) return result;
    context.addIssue('is not a valid regular expression (RE2)');
    return z.NEVER;
  }),
  advice: (source) => {
    const result = compile(source);
    if (result instanceof TextForm) return undefined;
    return adviceFor(source) ?? (result.message === 'too large' ? TOO_LARGE : undefined);
  },
};

function compile(source: string): TextForm | RE2JSException {
  try {
    return new TextForm(source);
  } catch (error) {
    if (error instanceof RE2JSException) return error;
    throw error;
  }
}

/** Returns a correction for features that RE2 deliberately lacks. */
function adviceFor(source: string): string | undefined {
  let isInSet = false;
  for (let at = 0; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (character === '\\') {
      at += 1;
      if (!isInSet && /[1-9k]/.test(source.charAt(at))) return NO_BACK_REFERENCES;
    } else if (isInSet) isInSet = character !== ']';
    else if (character === '[') isInSet = true;
    else if (/^\(\?<?[=!]/.test(source.slice(at, at + 4))) return NO_LOOK_AROUND;
  }
  return undefined;
}

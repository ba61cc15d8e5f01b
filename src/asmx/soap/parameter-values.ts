import type { ParameterContract } from '../contract';

/** How a SOAP value of .NET's char type is read; see {@link readCharParameter}. */
export type CharReading = 'strict' | 'lenient';

export const CHAR_FORMAT_ERROR = 'Input string was not in a correct format.';
export const CHAR_RANGE_ERROR = 'Value was either too large or too small for a UInt16.';

/**
 * Reads a char parameter's SOAP value: the decimal number of one UTF-16 unit, blanks around it allowed (wire
 * contract, section 5). The lenient reading also takes a value of exactly one character for that character,
 * for callers who write their envelopes by hand; so a lone digit is the digit, which as a number would be a
 * control character.
 *
 * @returns the character, or the text of .NET's error
 */
export function readCharParameter(
  value: string,
  reading: CharReading,
): { readonly character: string } | { readonly error: string } {
  if (reading === 'lenient' && value.length === 1) return { character: value };
  const digits = /^[ \t\r\n]*([0-9]+)[ \t\r\n]*$/.exec(value)?.[1];
  if (digits === undefined) return { error: CHAR_FORMAT_ERROR };
  const unit = Number(digits);
  return unit > 0xffff ? { error: CHAR_RANGE_ERROR } : { character: String.fromCharCode(unit) };
}

/** The values of an operation's parameters, while its element is read (wire contract, section 5). */
export class ParameterValues {
  readonly #charReading: CharReading;
  #parameters: readonly ParameterContract[] = [];
  #byName: Record<string, string | null> = {};
  /** Which of the parameters the operation's element has held so far. */
  readonly #seen: boolean[] = [];
  #charError: string | undefined;

  constructor(charReading: CharReading) {
    this.#charReading = charReading;
  }

  /** Values by parameter name; `null` for one that has not come. */
  get byName(): Readonly<Record<string, string | null>> {
    return this.#byName;
  }

  /** What is wrong with the latest value of type char, or undefined. */
  get charError(): string | undefined {
    return this.#charError;
  }

  /** Begins a request, or all over where its operation shows only now. */
  reset(parameters: readonly ParameterContract[]): void {
    this.#parameters = parameters;
    this.#byName = {};
    this.#seen.length = 0;
    this.#charError = undefined;
    for (const { name } of parameters) this.#byName[name] = null;
  }

  /** The operation's element begins; where it comes again, so do its parameters. */
  openOperation(): void {
    this.#seen.length = 0;
  }

  /** @returns the parameter of an element, or undefined for an unknown one and for one that was there before */
  openElement(name: string): ParameterContract | undefined {
    const index = this.#parameters.findIndex((parameter) => parameter.name === name);
    if (index < 0 || this.#seen[index] === true) return undefined;
    this.#seen[index] = true;
    return this.#parameters[index];
  }

  set({ name, type }: ParameterContract, text: string): void {
    this.#byName[name] = type === 'string' ? text : this.#readChar(text);
  }

  #readChar(text: string): string {
    const reading = readCharParameter(text, this.#charReading);
    if ('character' in reading) return reading.character;
    this.#charError = reading.error;
    return '';
  }
}

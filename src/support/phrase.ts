import { numberText } from './text';

/**
 * A text with values in the places of their names in braces; the English text is the key of its translations.
 */
export interface Phrase<Text extends string> {
  readonly text: Text;
  readonly values?: Readonly<Record<string, PhraseValue<Text>>>;
}

/**
 * A line that the compiler does not know, such as an error of an import or the meaning of a gateway's code.
 * It is shown as it is, unless a language has the whole line among its `lines`.
 */
export interface Line {
  readonly line: string;
}

/** Numbers are written as readers of a language do; a phrase within another one has no full stop. */
export type PhraseValue<Text extends string> = string | number | Phrase<Text> | Line;

/** A text without values, or one with them, or a line. */
export type Sentence<Text extends string> = Text | Phrase<Text> | Line;

/** Returns a sentence to be part of another one. */
export function asPhrase<Text extends string>(sentence: Sentence<Text>): Phrase<Text> | Line {
  return typeof sentence === 'string' ? { text: sentence } : sentence;
}

/** Returns the phrase for one or several, with the number in the place of `{n}`. */
export function countPhrase<Text extends string>(n: number, one: Text, several: Text): Phrase<Text> {
  return { text: n === 1 ? one : several, values: { n } };
}

export function englishText(sentence: Sentence<string>): string {
  return sentenceText(sentence, { translate: (text) => text, line: (line) => line, number: numberText });
}

interface Language {
  readonly translate: (text: string) => string;
  readonly line: (line: string) => string;
  readonly number: (value: number) => string;
  /** Returns the ending of a number, in the place of its name followed by `_si`. */
  readonly ending?: ((value: number) => string) | undefined;
}

export function sentenceText(sentence: Sentence<string>, language: Language): string {
  if (typeof sentence === 'string') return language.translate(sentence);
  if ('line' in sentence) return language.line(sentence.line);
  const { text, values = {} } = sentence;
  return filled(language.translate(text), (name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    const counted = name.endsWith('_si') ? values[name.slice(0, -'_si'.length)] : undefined;
    if (typeof counted === 'number') return language.ending?.(counted);
    if (typeof value === 'number') return language.number(value);
    return typeof value === 'object' ? sentenceText(value, language).replace(/\.$/, '') : value;
  });
}

/** Fills in a text. @param textFor - returns the text for a name in braces; undefined keeps the name */
export function filled(text: string, textFor: (name: string) => string | undefined): string {
  return text.replaceAll(/\{(\w+)\}/g, (braced, name: string) => textFor(name) ?? braced);
}
